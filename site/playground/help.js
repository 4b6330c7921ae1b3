// The help behind each "?": a short text, an equation and the notebook that derives it.
import { el } from "./look.js";

/** @typedef {{text: string, equation?: string, notebook: string}} Help */

/** typeset turns indices, _ or ^ and a letter or {…}, into HTML. @param {string} equation */
export const typeset = equation => equation.replaceAll(/[&<>]/g, c => `&#${c.charCodeAt(0)};`)
  .replaceAll(/([_^])(?:\{([^}]*)\}|(\S))/g, (_, kind, group, one) => (kind === "_" ? `<sub>${group ?? one}</sub>` : `<sup>${group ?? one}</sup>`));

const [principle, probit, topDown, bottomUp, overlap, own, tempering, process] =
  ["02-principle-and-prior", "03-multinomial-probit", "04-top-down", "05-bottom-up", "06-overlap-and-overclass", "09-your-own-data", "10-kernels-and-tempering", "11-gaussian-process"];

/** @type {Record<string, Help>} */
export const helps = {
  // Learners and their objectives.
  mpcvm1: { text: "Starts with a weight for every point and sets weights to zero. Its objective is the log posterior, which never falls.", equation: "log p(W, b | T) = Σ_n log p(t_n | W, b) + log p(W) + log p(b)", notebook: topDown },
  mpcvm2: { text: "Starts without weights and adds and deletes them one by one. Its objective is a lower bound on the log marginal likelihood.", equation: "α_{nc} = s²/(q² − s) if q² > s and q has the right sign, else ∞", notebook: bottomUp },
  "mpcvm1-published": { text: "Algorithm 1 of the paper as printed: it starts at random and solves without the sign rule.", equation: "w_c = (Φᵀ Φ + A_c)^{−1} Φᵀ (z̄_c − b_c), wrong signs set to 0", notebook: topDown },
  "mpcvm2-published": { text: "Algorithm 2 of the paper as printed: it starts at random and may diverge.", equation: "α_{nc} = s²/(q² − s)", notebook: "05b-why-it-stays-bounded" },
  "kernel-prior": { text: "A Gaussian process: every point has a weight. Its objective is the log posterior of the potentials.", equation: "y_c ~ N(0, s² K)", notebook: process },
  mrvm2: { text: "Like mPCVM₁, but a weight may have either sign.", equation: "w_{nc} ~ N(0, 1/α_{nc})", notebook: principle },
  svm: { text: "A support vector machine for each pair of classes. It maximises a margin; its probabilities are fitted afterwards.", equation: "minimise ½|w|² + C Σ_n ξ_n", notebook: "07-benchmark" },
  // Options.
  kernel: { text: "The kernel measures how similar two points are. A basis function is the kernel centred on one training point.", equation: "y_c(x) = b_c + Σ_n w_{nc} k(x, x_n)", notebook: "01-quickstart" },
  theta: { text: "A larger θ makes narrower bumps.", equation: "k(x, x_n) = exp(−θ |x − x_n|²)", notebook: "01-quickstart" },
  alpha: { text: "The shape of the rational quadratic kernel. Large values approach the RBF kernel.", equation: "k = (1 + θ r²/α)^{−α}", notebook: own },
  degree: { text: "The power of the polynomial.", equation: "k = (x·x_n/2 + offset)^{degree}", notebook: own },
  offset: { text: "A constant added to the product of the two points.", equation: "k = x·x_n + offset", notebook: own },
  power: { text: "Counts each label β times. The paper uses β = 1; larger values keep more vectors.", equation: "p(T | W)^β p(W | α)", notebook: tempering },
  additions: { text: "How many basis functions a class may add in one iteration.", equation: "Δℓ(α_{nc}) > 0: the largest first", notebook: bottomUp },
  u1: { text: "The shape and rate of the Gamma prior of the precisions. No precision exceeds about 1/v, so a larger rate v prunes fewer weights.", equation: "ᾱ_{nc} = (2u + 1)/(w_{nc}² + 2v)", notebook: topDown },
  prune: { text: "A weight whose precision exceeds the threshold is set to zero permanently.", equation: "ᾱ_{nc} > threshold: w_{nc} = 0", notebook: topDown },
  scale: { text: "The prior variance of the potentials. With a larger variance, the model follows the points more closely.", equation: "y_c ~ N(0, s² K)", notebook: process },
  keep: { text: "The model is reduced to about this share of its weights.", notebook: process },
  c: { text: "The penalty for a point on the wrong side of the margin.", equation: "0 ≤ a_n ≤ C", notebook: "07-benchmark" },
  seed: { text: "The seed of the learner's random numbers.", notebook: topDown },
  maxIterations: { text: "The maximum number of iterations.", notebook: topDown },
  bias: { text: "A constant added to each potential. The paper's mPCVM₂ does not use it.", equation: "y_c(x) = b_c + Σ_n w_{nc} k(x, x_n)", notebook: bottomUp },
  count: { text: "The number of points drawn from the source.", notebook: "08-many-classes" },
  noise: { text: "Noise added to both coordinates of each point, which makes the classes overlap more.", equation: "x + σε, ε ~ N(0, 1)", notebook: overlap },
  // Pictures.
  plane: { text: "The colour shows the most probable class and is paler where the model is less certain. A ring marks a relevance vector: solid for a positive weight, dashed for a negative weight, and both if it has both. “Collapsed” means that the fit found nothing better than the class frequencies, so the model predicts them everywhere.", equation: "w_{nc} ≥ 0 if x_n is of class c, else w_{nc} ≤ 0", notebook: principle },
  objective: { text: "The quantity that the learner maximises, in nats. Each learner has its own objective, so the values of two learners cannot be compared.", equation: "mPCVM₁: log p(W, b | T);  mPCVM₂: a bound on log p(T | α)", notebook: topDown },
  counts: { text: "The number of non-zero weights. mPCVM₁ only removes weights; mPCVM₂ adds and deletes them.", equation: "Σ_n [w_{nc} ≠ 0]", notebook: bottomUp },
  weights: { text: "Each row is a potential. By the classification principle, vectors of the row's own class are to the right of zero and vectors of other classes to the left.", equation: "f_{nc} w_{nc} ≥ 0", notebook: principle },
  precisions: { text: "The current precision α of each weight. A large precision pulls its weight towards zero; beyond the dashed line, mPCVM₁ prunes the weight.", equation: "mPCVM₁: ᾱ = (2u + 1)/(w² + 2v);  mPCVM₂: α = s²/(q² − s)", notebook: bottomUp },
  posterior: { text: "The hidden variables of the training point nearest to the pointer. Dashed: z = y + ε before its label is known. Solid: given its label, the z of its class is the largest. The mark is the mean z̄, from which the next step learns.", equation: "z̄_{nc} = E[z_{nc} | t_n, y_n]", notebook: probit },
  factors: { text: "A filled mark above the dashed line is a candidate that may enter the model. Larger, outlined marks are already in the model.", equation: "q² > s, and q has the right sign", notebook: bottomUp },
  step: { text: "What happened in this iteration. The steps that took place are highlighted.", notebook: bottomUp },
};

let opened = 0;

/**
 * question makes a "?" button. which returns the key of the help text when it is opened.
 * @param {string} label names the thing explained @param {() => string} which
 */
export const question = (label, which) => {
  const id = `help-${++opened}`, box = el("div", { id, popover: true, class: "help-box" });
  box.addEventListener("beforetoggle", () => {
    const { text, equation, notebook } = helps[which()];
    const formula = el("p", { class: "formula" });
    formula.innerHTML = typeset(equation ?? "");
    box.replaceChildren(el("p", {}, text), ...(equation ? [formula] : []),
      el("p", {}, el("a", { href: `../notebooks/${notebook}.html` }, "Read the notebook")));
  });
  return [el("button", { type: "button", class: "help", popovertarget: id, "aria-label": `What is this: ${label}` }, "?"), box];
};
