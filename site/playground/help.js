// What a "?" says: one sentence, one equation and the notebook that derives it.
import { el } from "./look.js";

/** @typedef {{text: string, equation?: string, notebook: string}} Help */

/** typeset writes indices, _ or ^ and a letter or {…}, as HTML does. @param {string} equation */
export const typeset = equation => equation.replaceAll(/[&<>]/g, c => `&#${c.charCodeAt(0)};`)
  .replaceAll(/([_^])(?:\{([^}]*)\}|(\S))/g, (_, kind, group, one) => (kind === "_" ? `<sub>${group ?? one}</sub>` : `<sup>${group ?? one}</sup>`));

const [principle, probit, topDown, bottomUp, overlap, own, tempering, process] =
  ["02-principle-and-prior", "03-multinomial-probit", "04-top-down", "05-bottom-up", "06-overlap-and-overclass", "09-your-own-data", "10-kernels-and-tempering", "11-gaussian-process"];

/** @type {Record<string, Help>} */
export const helps = {
  // Learners, by what they maximise.
  mpcvm1: { text: "Begins with a weight for every point and sets weights to zero. Its objective is the log posterior, which never falls.", equation: "log p(W, b | T) = Σ_n log p(t_n | W, b) + log p(W) + log p(b)", notebook: topDown },
  mpcvm2: { text: "Begins without weights and adds and deletes them one by one. Its objective is a lower bound of the log marginal likelihood.", equation: "α_{nc} = s²/(q² − s) if q² > s and q has the right sign, else ∞", notebook: bottomUp },
  "mpcvm1-published": { text: "Algorithm 1 of the paper as printed: it begins at random and solves without the sign rule.", equation: "w_c = (Φᵀ Φ + A_c)^{−1} Φᵀ (z̄_c − b_c), wrong signs set to 0", notebook: topDown },
  "mpcvm2-published": { text: "Algorithm 2 of the paper as printed: it begins at random and may run away.", equation: "α_{nc} = s²/(q² − s)", notebook: "05b-why-it-stays-bounded" },
  "kernel-prior": { text: "A Gaussian process: every point has a weight. Its objective is the log posterior of the potentials.", equation: "y_c ~ N(0, s² K)", notebook: process },
  mrvm2: { text: "As mPCVM₁, but a weight may have either sign.", equation: "w_{nc} ~ N(0, 1/α_{nc})", notebook: principle },
  svm: { text: "A support vector machine for each pair of classes. It maximises a margin; its probabilities are fitted afterwards.", equation: "½|w|² + C Σ_n ξ_n, as small as can be", notebook: "07-benchmark" },
  // Options.
  kernel: { text: "The kernel says how like two points are. A basis function is the kernel around one training point.", equation: "y_c(x) = b_c + Σ_n w_{nc} k(x, x_n)", notebook: "01-quickstart" },
  theta: { text: "A larger θ makes narrower bumps.", equation: "k(x, x_n) = exp(−θ |x − x_n|²)", notebook: "01-quickstart" },
  alpha: { text: "The shape of the rational quadratic kernel. Large values approach the RBF kernel.", equation: "k = (1 + θ r²/α)^{−α}", notebook: own },
  degree: { text: "The power of the polynomial.", equation: "k = (x·x_n/2 + offset)^{degree}", notebook: own },
  offset: { text: "Is added to the product of the two points.", equation: "k = x·x_n + offset", notebook: own },
  power: { text: "Counts each label β times. The paper has β = 1; larger values keep more vectors.", equation: "p(T | W)^β p(W | α)", notebook: tempering },
  additions: { text: "How many basis functions a class may add in one iteration.", equation: "Δℓ(α_{nc}) > 0: the largest first", notebook: bottomUp },
  u1: { text: "Shape and rate of the Gamma prior of the precisions. With a larger rate v no precision exceeds about 1/v, so less is pruned.", equation: "ᾱ_{nc} = (2u + 1)/(w_{nc}² + 2v)", notebook: topDown },
  prune: { text: "A weight whose precision is larger is set to zero for good.", equation: "ᾱ_{nc} > threshold: w_{nc} = 0", notebook: topDown },
  scale: { text: "Prior variance of the potentials. With a larger one the model follows the points more closely.", equation: "y_c ~ N(0, s² K)", notebook: process },
  keep: { text: "The model is reduced to about this share of its weights.", notebook: process },
  c: { text: "Price of a point on the wrong side of the margin.", equation: "0 ≤ a_n ≤ C", notebook: "07-benchmark" },
  seed: { text: "Of the random numbers that the learner draws.", notebook: topDown },
  maxIterations: { text: "The fit ends there at the latest.", notebook: topDown },
  bias: { text: "A constant in each potential. The paper's mPCVM₂ has none.", equation: "y_c(x) = b_c + Σ_n w_{nc} k(x, x_n)", notebook: bottomUp },
  count: { text: "More points of the same source, or fewer.", notebook: "08-many-classes" },
  noise: { text: "What is added to both coordinates of each point; classes then overlap more.", equation: "x + σε, ε ~ N(0, 1)", notebook: overlap },
  // Pictures.
  plane: { text: "Colours are the likeliest class, paler where it is less sure. A ring marks a relevance vector: full for a positive weight, dashed for a negative one, both for both. “Collapsed” means that the weights found predict no better than the frequencies of the classes, which are then the model.", equation: "w_{nc} ≥ 0 if x_n is of class c, else w_{nc} ≤ 0", notebook: principle },
  objective: { text: "What the learner maximises, in nats. It differs from learner to learner, so heights of two learners cannot be compared.", equation: "mPCVM₁: log p(W, b | T);  mPCVM₂: a bound of log p(T | α)", notebook: topDown },
  counts: { text: "Weights that are not zero. mPCVM₁ only loses weights; mPCVM₂ adds and deletes.", equation: "Σ_n [w_{nc} ≠ 0]", notebook: bottomUp },
  weights: { text: "Each row is a potential. Marks right of zero are of the row's own class, marks left of it are of others: the classification principle.", equation: "f_{nc} w_{nc} ≥ 0", notebook: principle },
  precisions: { text: "The precision α of each weight now. A large one pulls its weight to zero; beyond the dashed line mPCVM₁ prunes it.", equation: "mPCVM₁: ᾱ = (2u + 1)/(w² + 2v);  mPCVM₂: α = s²/(q² − s)", notebook: bottomUp },
  posterior: { text: "Hidden variables of the training point nearest to the pointer. Dashed: z = y + ε before its label is known. Full: after it, z of its own class is the largest. The mark is the mean z̄, which the next step learns from.", equation: "z̄_{nc} = E[z_{nc} | t_n, y_n]", notebook: probit },
  factors: { text: "A candidate above the dashed line, drawn filled, may enter the model. Rimmed marks are in it.", equation: "q² > s and the right sign of q", notebook: bottomUp },
  step: { text: "What this iteration did. The parts that took place are lit.", notebook: bottomUp },
};

let opened = 0;

/**
 * question makes the "?" of a thing. which says which help it opens, when it is opened.
 * @param {string} label the thing @param {() => string} which
 */
export const question = (label, which) => {
  const id = `help-${++opened}`, box = el("div", { id, popover: true, class: "help-box" });
  box.addEventListener("beforetoggle", () => {
    const { text, equation, notebook } = helps[which()];
    const formula = el("p", { class: "formula" });
    formula.innerHTML = typeset(equation ?? "");
    box.replaceChildren(el("p", {}, text), ...(equation ? [formula] : []),
      el("p", {}, el("a", { href: `../notebooks/${notebook}.html` }, "The notebook about it")));
  });
  return [el("button", { type: "button", class: "help", popovertarget: id, "aria-label": `What is this: ${label}` }, "?"), box];
};
