// The lessons. Each step sets up the page, asks a question and answers it by a move of the page or of the reader.
import { button, by, chance, el, sentence, short } from "./look.js";
import { firstTool } from "./panel.js";
import { samples } from "./slot.js";
import { boxOf, defaultSetup, rounded } from "./state.js";

/** @typedef {import("./state.js").Setup} Setup */
/** @typedef {import("./state.js").Content} Content */
/** @typedef {import("./slot.js").Slot} Slot */
/** @typedef {[number, number]} Place */

/**
 * @typedef {object} Facts of a learner at the current iteration
 * @property {number} points
 * @property {number} errors
 * @property {number} logLoss
 * @property {number} vectors
 * @property {number} weights
 * @property {number[]} counts number of weights of each class
 * @property {number} iteration
 * @property {number} iterations of the whole fit
 * @property {string} status
 * @property {number} theta
 * @property {number} violations number of weights that violate the classification principle
 * @property {number} falls number of iterations after the eleventh in which the objective fell
 * @property {number} deleted number of weights deleted during the whole fit
 * @property {boolean} nested whether weights only left the model
 * @property {number} sure mean largest probability at the points
 * @property {number} fresh error rate on new points, NaN if the step does not need it
 * @property {number} eligible number of candidates outside the model with q² > s and the right sign, NaN without factors
 * @property {{at: Place, p: number[], y: number[], terms: import("./plane.js").Term[]} | null} asked
 * @property {number} moved index of the first moved point, or −1
 * @property {number} least smallest absolute value of a non-zero weight
 * @property {number} most largest absolute value of a weight
 * @property {number} change largest change of a probability on a grid since the question
 * @property {Setup} setup
 */
/** @typedef {{a: Facts, b: Facts, before: Facts}} Seen with one learner, `b` is `a` */
/**
 * @typedef {object} LessonStep
 * @property {string} text
 * @property {string} [preset] whose points the step starts with; otherwise the points stay
 * @property {Partial<Setup>} [a]
 * @property {Partial<Setup> | null} [b]
 * @property {number} [at] initial iteration; 0 means the last
 * @property {"charts" | "all"} [veiled] hides parts of the page that would reveal the answer
 * @property {number} [wide] half the width of the plane, by default the width of the points
 * @property {string} question
 * @property {string[]} answers
 * @property {number} right
 * @property {string} [task] what the reader is asked to do; without it, the page makes the move
 * @property {(s: Seen) => boolean} [done] whether the reader has done it
 * @property {(l: Lessons) => Promise<void>} move
 * @property {(s: Seen) => string} shown
 * @property {(s: Seen) => boolean} holds whether the statement of shown is true
 * @property {boolean} [fresh] whether the answer is the error rate on new points, which is hidden until then
 * @property {("data" | "draw" | "learner")[]} [controls] the controls that the reader needs
 */
/** @typedef {{title: string, steps: LessonStep[]}} Lesson */

const last = /** @param {Lessons} l */ l => l.show(0);
const play = /** @param {Lessons} l */ l => l.play();
const setup = /** @param {Partial<Setup>} fields @returns {(l: Lessons) => Promise<void>} */ fields => l => l.put(fields);
const alongside = /** @param {Partial<Setup>} fields @returns {(l: Lessons) => Promise<void>} */ fields => async l => {
  l.host.state.set({ b: { ...l.host.state.now.a, ...fields } });
  await l.host.settled();
};
const none = async () => {};
const percent = /** @param {number} v */ v => `${short(100 * v, 3)} %`;
const list = /** @param {number[]} v */ v => v.map(chance).join(", ");

/** @type {Lesson[]} */
export const lessons = [
  {
    title: "The principle",
    steps: [
      {
        text: "A kernel classifier puts bumps on training points and adds them up. The height of a bump is the weight of its point. Here are two moons of 80 points each.",
        preset: "moons", a: {}, at: 1, veiled: "all",
        question: "How many of the 160 points have a weight after mPCVM₂ has been trained?",
        answers: ["All 160", "About 80", "Fewer than 20"], right: 2,
        move: play,
        shown: ({ a }) => `${a.vectors} points have a non-zero weight. They are the relevance vectors, marked by rings.`,
        holds: ({ a }) => a.vectors < 20 && a.points === 160,
      },
      {
        text: "Each class has a potential, its own sum of bumps, so a relevance vector may have a weight in both potentials. A solid ring marks a positive weight, a dashed ring a negative one.",
        preset: "moons", a: {},
        question: "Which sign can the weight of a class 1 vector have in the potential of class 2?",
        answers: ["Positive only", "Negative only", "Both"], right: 1, veiled: "charts",
        move: none,
        shown: ({ a }) => `Negative only. A vector can only support its own class and oppose the others: this is the classification principle. All ${a.weights} weights obey it. In the chart of the weights, vectors of the row's own class are to the right of zero and the others to the left.`,
        holds: ({ a }) => a.violations === 0 && a.weights > 0,
      },
      {
        text: "mRVM₂ has the same potentials and the same noise, but its prior allows both signs. These are the 200 points of Overlap, in three classes.",
        preset: "overlap", a: {},
        question: "Will the weights of mRVM₂ obey the principle anyway?",
        answers: ["Yes, all of them", "No, some break it"], right: 1,
        move: alongside({ learner: "mrvm2" }),
        shown: ({ a, b }) => `In mRVM₂, ${b.violations} of ${b.weights} weights have a sign that the principle forbids. In mPCVM₂, none of the ${a.weights} weights does.`,
        holds: ({ a, b }) => a.violations === 0 && b.violations > 0,
      },
      {
        text: "If you point at the plane, lines lead to the vectors that contribute most there. A solid line raises the potential of the class of its colour, and a dashed line lowers it.",
        preset: "overlap", a: {}, b: null,
        question: "Which vectors raise the potential of the blue class, the triangles?",
        answers: ["Blue vectors only", "Vectors of all classes"], right: 0,
        task: "Point at the blue region.",
        done: ({ a }) => !!a.asked && top(a.asked.p) === 1,
        move: async l => l.ask(await l.surest(1)),
        shown: ({ a }) => {
          const terms = a.asked?.terms.filter(t => t.class === 1 && t.contribution > 0) ?? [];
          return `Blue vectors only, by the principle. Here the largest contribution adds ${short(terms[0]?.contribution ?? NaN)} to the potential, and the probability of blue is ${chance(a.asked?.p[1] ?? NaN)}.`;
        },
        holds: ({ a }) => !!a.asked && a.asked.terms.some(t => t.class === 1 && t.contribution > 0) && a.violations === 0,
      },
      {
        text: "The points without a ring have no weight. A support vector machine would not change if such points were removed.",
        preset: "overlap", a: {},
        question: "Suppose we remove all points without a ring and train the model again. Does it stay the same?",
        answers: ["It stays the same", "It changes"], right: 1,
        move: async l => {
          const { state, slots } = l.host, kept = slots.a.vectors();
          state.set({ points: state.now.points.filter((_, i) => kept.has(i)), source: null, step: 0 });
          await l.host.settled();
        },
        shown: ({ a, before }) => `It changes: the largest change of a probability is ${short(a.change, 2)}. The other ${before.points - a.points} points had no weight, but their labels were evidence for the weights of the vectors. Undo brings them back.`,
        holds: ({ a, before }) => a.change > .1 && a.points === before.vectors,
      },
    ],
  },
  {
    title: "One potential per class",
    steps: [
      {
        text: "The model has one potential for each class. The class with the largest potential is the most probable. This plane extends far beyond the points.",
        preset: "overlap", a: {}, b: null, wide: 9,
        question: "Far from all points, all bumps are zero. What are the probabilities of the three classes there?",
        answers: ["1/3 each", "1 for the class of the nearest point"], right: 0,
        move: l => l.ask([-8.5, 8]),
        shown: ({ a }) => `All potentials are zero, and the probabilities are ${list(a.asked?.p ?? [])}. The model makes no claim where it has no data.`,
        holds: ({ a }) => !!a.asked && a.asked.p.length === 3 && a.asked.p.every(p => Math.abs(p - 1 / 3) < .002),
      },
      {
        text: "mPCVM₁ adds a constant to each potential, the bias of the class. Here are three rings.",
        preset: "rings", a: { learner: "mpcvm1", theta: 3 }, b: null, wide: 9, veiled: "all",
        question: "What are the probabilities far from all points with biases?",
        answers: ["1/3 each, as before", "They depend on the biases"], right: 1,
        move: l => l.ask([-8.5, 8]),
        shown: ({ a }) => `The potentials there are the biases, ${(a.asked?.y ?? []).map(v => short(v)).join(", ")}. The probabilities are ${list(a.asked?.p ?? [])}.`,
        holds: ({ a }) => !!a.asked && a.asked.p.some(p => Math.abs(p - 1 / 3) > .03),
      },
      {
        text: "The same model, seen closer. Class 3, the outer ring, has no weight in its potential.",
        preset: "rings", a: { learner: "mpcvm1", theta: 3 }, b: null, veiled: "all",
        question: "Can class 3 win anywhere?",
        answers: ["Yes", "No"], right: 0,
        move: l => l.ask(l.pointOf(2)),
        shown: ({ a }) => `Yes. Its potential is its bias, ${short(a.asked?.y[2] ?? NaN)} everywhere. At this point of the outer ring, the other potentials are lower, and class 3 has the probability ${chance(a.asked?.p[2] ?? NaN)}. Only the differences between potentials matter.`,
        holds: ({ a }) => a.counts[2] === 0 && !!a.asked && top(a.asked.p) === 2,
      },
      {
        text: "In mRVM₂, a relevance vector has a weight in the potential of every class. In mPCVM₂, each weight is selected separately.",
        preset: "overlap", a: {}, b: null, veiled: "charts",
        question: "How many weights does mPCVM₂ need in its three potentials for its 10 vectors?",
        answers: ["30", "About 10"], right: 1,
        move: alongside({ learner: "mrvm2" }),
        shown: ({ a, b }) => `mPCVM₂ has ${a.weights} weights for ${a.vectors} vectors. mRVM₂ has ${b.weights} for ${b.vectors}: ${b.weights / b.vectors} per vector.`,
        holds: ({ a, b }) => a.vectors === 10 && a.weights <= 13 && b.weights === 3 * b.vectors,
      },
      {
        text: "A new class gets its own potential, and the other potentials are trained again.",
        preset: "overlap", a: {}, b: null, controls: ["draw"],
        question: "Draw a few points of a fourth class in the empty lower left corner. Will it get that corner?",
        answers: ["Yes", "No, five points among 200 are too few"], right: 0,
        task: "Choose class 4 and draw at least five points in the lower left corner.",
        done: s => fourth(s.a) !== null,
        move: async l => {
          const { state } = l.host, at = [[-2.7, -2.9], [-2.4, -2.6], [-2.9, -2.5], [-2.5, -3], [-2.2, -2.8], [-2.8, -2.7]];
          state.set({ points: [...state.now.points, ...at.map(([x, y]) => /** @type {import("./state.js").Point} */ ([x, y, 3]))], source: null, step: 0 });
          await l.host.settled();
        },
        shown: ({ a }) => `Yes. Now there are four potentials, with ${a.counts.join(", ")} weights. A few points are enough in a corner without other classes.`,
        holds: ({ a }) => a.counts.length === 4 && fourth(a) !== null,
      },
    ],
  },
  {
    title: "Probit and noise",
    steps: [
      {
        text: "The probit adds standard normal noise to each potential. The label is the class with the largest sum. Here are two classes.",
        preset: "moons", a: {}, b: null,
        question: "One potential is larger than the other by 2. What is the probability of its class?",
        answers: ["0.76", "0.92", "1"], right: 1,
        move: async l => l.ask(await l.lead(2)),
        shown: ({ a }) => `Here the potentials are ${short(a.asked?.y[0] ?? NaN)} and ${short(a.asked?.y[1] ?? NaN)}, and the probabilities are ${list(a.asked?.p ?? [])}. The difference of two noises of variance 1 has variance 2, so the probability is Ψ(2/√2) = 0.921.`,
        holds: ({ a }) => !!a.asked && Math.abs(Math.abs(a.asked.y[0] - a.asked.y[1]) - 2) < .02 && Math.abs(Math.max(...a.asked.p) - .9214) < .003,
      },
      {
        text: "The grey lines are the borders of the regions, where two potentials are equal. Here are three classes.",
        preset: "overlap", a: {}, b: null,
        question: "How probable are the two classes on their border?",
        answers: ["Exactly 1/2", "At most 1/2", "At least 1/2"], right: 1,
        move: async l => l.ask(await l.border()),
        shown: ({ a }) => `At most 1/2 each, because the third class also has some probability. Here the probabilities are ${list(a.asked?.p ?? [])}.`,
        holds: ({ a }) => {
          const p = [...(a.asked?.p ?? [])].sort((u, v) => v - u);
          return p.length === 3 && p[0] <= .5 && p[0] - p[1] < .01 && p[2] > .02;
        },
      },
      {
        text: "These labels were drawn at random: the position of a point carries no information about its class.",
        preset: "noise", a: {}, b: null, veiled: "all",
        question: "What is the mean probability of the most probable class over the points?",
        answers: ["Less than 0.5", "About 0.9"], right: 0,
        move: none,
        shown: ({ a }) => `The mean is ${short(a.sure, 2)}, not far above 1/3, and the colours are pale. ${a.errors} of ${a.points} points are misclassified.`,
        holds: ({ a }) => a.sure < .5 && a.errors > a.points / 3,
      },
      {
        text: "With the likelihood power β, each label counts β times. The paper uses β = 1.",
        preset: "overlap", a: {}, b: null, controls: ["learner"],
        question: "What does a larger β do?",
        answers: ["Deeper colours and more vectors", "Paler colours and fewer vectors"], right: 0,
        task: "Move the likelihood power β to 20 or more.",
        done: ({ a }) => a.setup.power >= 20,
        move: setup({ power: 30 }),
        shown: ({ a, before }) => `The model has ${a.vectors} vectors instead of ${before.vectors}. The mean of the largest probability has risen from ${short(before.sure, 2)} to ${short(a.sure, 2)}. The model treats noise as if it were certain.`,
        holds: ({ a, before }) => a.vectors > before.vectors && a.sure > before.sure,
      },
      {
        text: "Labels can be wrong. Suppose that a point of class 1 lies in the middle of class 2.",
        preset: "moons", a: {}, b: null, controls: ["draw"],
        question: "Will the model form an island of class 1 around this point?",
        answers: ["Yes", "No"], right: 1,
        task: "Drag a blue point into the middle of the orange moon.",
        done: ({ a }) => a.moved >= 0 && a.asked !== null && a.asked.p[0] < .2,
        move: async l => {
          const { state } = l.host, to = await l.middle(1), points = [...state.now.points];
          points[0] = [to[0], to[1], 0];
          state.set({ points, source: null, step: 0 });
          await l.host.settled();
          await l.ask(to);
        },
        shown: ({ a }) => `No. At this point, class 1 has the probability ${chance(a.asked?.p[0] ?? NaN)}. The model treats one label among many different neighbours as noise.`,
        holds: ({ a }) => a.moved >= 0 && !!a.asked && a.asked.p[0] < .2 && a.errors > 0,
      },
    ],
  },
  {
    title: "Top-down: mPCVM₁",
    steps: [
      {
        text: "mPCVM₁ starts with a weight for each of the 160 points in both potentials, 320 in all. Each iteration recomputes the weights under the sign rule.",
        preset: "moons", a: { learner: "mpcvm1" }, b: null, at: 1, veiled: "all",
        question: "How many points still have a weight after the first iteration?",
        answers: ["Nearly all", "About half", "Fewer than ten"], right: 0,
        move: none,
        shown: ({ a }) => `${a.vectors} points have one. ${2 * a.points - a.weights} of the ${2 * a.points} weights are already zero.`,
        holds: ({ a }) => a.iteration === 1 && a.vectors > .9 * a.points && a.weights < 2 * a.points,
      },
      {
        text: "After that, a small weight gets a large precision, and a large precision makes the weight even smaller. At a precision of 10⁴, the weight is set to zero.",
        preset: "moons", a: { learner: "mpcvm1" }, b: null, at: 1, veiled: "all",
        question: "How many weights remain at the end?",
        answers: ["About 100", "About 50", "Fewer than 15"], right: 2,
        move: play,
        shown: ({ a }) => `After ${a.iterations} iterations, ${a.weights} weights of ${a.vectors} points remain. ${a.errors} points are misclassified.`,
        holds: ({ a }) => a.weights < 15 && a.iteration === a.iterations,
      },
      {
        text: "Step back and forth with the slider below the plane, and look at the rings.",
        preset: "moons", a: { learner: "mpcvm1" }, b: null, at: 1,
        question: "Can a weight that was set to zero come back?",
        answers: ["Yes", "No"], right: 1,
        task: "Go to iteration 30 or later.",
        done: ({ a }) => a.iteration >= 30,
        move: play,
        shown: ({ a }) => `No. In all ${a.iterations} iterations, weights only leave the model. This is what top-down means.`,
        holds: ({ a }) => a.nested,
      },
      {
        text: "The objective is the log posterior. Algorithm 1 as printed starts at random and solves without the sign rule; it then sets weights of the wrong sign to zero.",
        preset: "moons", a: { learner: "mpcvm1" }, b: null,
        question: "Which of the two has fewer errors and a lower log loss on these points?",
        answers: ["The learner with the exact step", "The algorithm as printed"], right: 0,
        move: alongside({ learner: "mpcvm1-published" }),
        shown: ({ a, b }) => `With the exact step: ${a.errors} errors, log loss ${short(a.logLoss)}. As printed: ${b.errors} errors, log loss ${short(b.logLoss)}. This is one random start; use the seed slider for others.`,
        holds: ({ a, b }) => a.errors < b.errors && a.logLoss < b.logLoss && a.falls === 0,
      },
      {
        text: "The Gamma prior of the precisions has shape u and rate v, both 10⁻⁵. No precision exceeds about 1/v, so with a larger v the pull towards zero is weaker.",
        preset: "moons", a: { learner: "mpcvm1" }, b: null, controls: ["learner"],
        question: "What effect does u = v = 0.01 have on the number of weights?",
        answers: ["Fewer remain", "More remain"], right: 1,
        task: "Move the Gamma prior to 0.001 or more.",
        done: ({ a }) => a.setup.v1 >= .001,
        move: setup({ u1: .01, v1: .01, u2: .01, v2: .01 }),
        shown: ({ a, before }) => `${a.weights} weights remain instead of ${before.weights}. Precisions no longer reach the threshold of 10⁴. The log loss is ${short(a.logLoss)}; it was ${short(before.logLoss)}.`,
        holds: ({ a, before }) => a.weights > 5 * before.weights,
      },
    ],
  },
  {
    title: "Bottom-up: mPCVM₂",
    steps: [
      {
        text: "mPCVM₂ starts with an empty model. In each iteration, a class may add basis functions, by default at most two.",
        preset: "overlap", a: {}, b: null, at: 1, veiled: "all",
        question: "How many of the 600 possible weights are there after the first iteration?",
        answers: ["600", "200", "At most 6"], right: 2,
        move: none,
        shown: ({ a }) => `There are ${a.weights} weights. ${a.errors} points are still misclassified.`,
        holds: ({ a }) => a.weights <= 6 && a.iteration === 1,
      },
      {
        text: "Each candidate has a sparsity factor s and a quality factor q. It may enter the model if q² > s and q has the right sign. In the last chart, these are the filled marks above the dashed line.",
        preset: "overlap", a: {}, b: null, at: 1,
        question: "When the fit has converged, how many candidates outside the model are still allowed to enter?",
        answers: ["None", "About 20", "About 100"], right: 0,
        move: last,
        shown: ({ a, before }) => `None. After the first iteration, there were ${before.eligible} in the three classes. As the model explains more of the data, s rises and q falls for the remaining candidates.`,
        holds: ({ a, before }) => a.eligible === 0 && before.eligible > 20,
      },
      {
        text: "A basis function in the model must pass the test in every iteration. Watch the rings.",
        preset: "overlap", a: {}, b: null, at: 1, veiled: "all",
        question: "Do vectors that have entered the model leave it again?",
        answers: ["Never", "Yes, many do"], right: 1,
        move: play,
        shown: ({ a }) => `Many do: weights were deleted ${a.deleted} times, and ${a.weights} remain. Early vectors are often replaced by better ones.`,
        holds: ({ a }) => a.deleted > 10 && a.deleted > a.weights,
      },
      {
        text: "The number of additions per iteration is an option. The paper adds one.",
        preset: "overlap", a: {}, b: null, controls: ["learner"],
        question: "If each class may add up to ten, will the final model have many more weights?",
        answers: ["Yes", "No, about the same number"], right: 1,
        task: "Move the additions to 5 or 10.",
        done: ({ a }) => a.setup.additions >= 5,
        move: setup({ additions: 10 }),
        shown: ({ a, before }) => `It has ${a.weights} weights instead of ${before.weights}. Basis functions that enter too early fail the test later: there were ${a.deleted} deletions instead of ${before.deleted}.`,
        holds: ({ a, before }) => Math.abs(a.weights - before.weights) <= 3 && a.deleted > before.deleted,
      },
      {
        text: "Algorithm 2 as printed lets vectors enter with either sign. It sets weights of the wrong sign to zero, but their basis functions stay in the model.",
        preset: "overlap", a: {}, b: null,
        question: "From iteration 12, after the start has been released, does the objective ever fall?",
        answers: ["It never falls", "It falls in some iterations"], right: 1,
        move: alongside({ learner: "mpcvm2-published" }),
        shown: ({ a, b }) => `As printed, it falls in ${b.falls} of ${b.iterations - 11} iterations. With the sign rule, it falls in ${a.falls === 0 ? "none" : a.falls} of ${a.iterations - 11}.`,
        holds: ({ a, b }) => a.falls === 0 && b.falls > 0,
      },
    ],
  },
  {
    title: "Width and overfitting",
    steps: [
      {
        text: "The width parameter θ of the RBF kernel exp(−θr²) determines how fast a bump falls with the distance r. A small θ makes wide bumps. Here are three rings with θ = 1.",
        preset: "rings", a: {}, b: null, controls: ["learner"],
        question: "What happens to the rings if each bump is as wide as the plane?",
        answers: ["The classes are still separated", "The classes can no longer be separated"], right: 0,
        task: "Move the width θ to 0.02.",
        done: ({ a }) => a.setup.theta <= .03 && a.setup.theta > 0,
        move: setup({ theta: .02 }),
        shown: ({ a }) => `They are still separated: ${a.errors} of ${a.points} points are misclassified. Differences of wide bumps with large weights can still form curved borders, and ${a.weights} weights are enough.`,
        holds: ({ a }) => a.status === "converged" && a.weights < 20 && a.errors <= a.points / 20,
      },
      {
        text: "Now narrow bumps. The points of a ring are about 0.1 to 0.3 apart.",
        preset: "rings", a: {}, b: null, controls: ["learner"],
        question: "With θ = 100, a bump is 0.1 wide. Does the log loss rise or fall?",
        answers: ["It rises", "It falls"], right: 0,
        task: "Move the width θ to 100.",
        done: ({ a }) => a.setup.theta >= 50,
        move: setup({ theta: 100 }),
        shown: ({ a, before }) => `It rises from ${short(before.logLoss)} to ${short(a.logLoss)}. ${a.vectors} vectors cover only small spots, and between them the model is uncertain.`,
        holds: ({ a, before }) => a.logLoss > 3 * before.logLoss && a.vectors > before.vectors,
      },
      {
        text: "Random labels again, but now the model is forced to fit them: with β = 100, each label counts a hundred times.",
        preset: "noise", a: { power: 100 }, b: null, veiled: "all", fresh: true,
        question: "How many new points will it misclassify?",
        answers: ["As few as the training points", "Two in three, as by chance"], right: 1,
        move: none,
        shown: ({ a }) => `It misclassifies ${percent(a.errors / a.points)} of the training points and ${percent(a.fresh)} of the new points. The model has memorised the noise: this is overfitting.`,
        holds: ({ a }) => a.fresh > .6 && a.errors / a.points < .35,
      },
      {
        text: "The kernel prior keeps a weight for each point in each potential. mPCVM₂ keeps about ten in all.",
        preset: "overlap", a: {}, b: { learner: "kernel-prior" }, fresh: true,
        question: "The kernel prior makes fewer errors on these points. Which model makes fewer on new points?",
        answers: ["mPCVM₂", "The kernel prior"], right: 0,
        move: none,
        shown: ({ a, b }) => `mPCVM₂ makes ${a.errors} errors here and misclassifies ${percent(a.fresh)} of the new points; the kernel prior makes ${b.errors} and misclassifies ${percent(b.fresh)}. With so much overlap, ${a.weights} weights generalise better than ${b.weights}.`,
        holds: ({ a, b }) => b.errors < a.errors && a.fresh < b.fresh,
      },
      {
        text: "Without new points, a learner can choose θ by cross-validation: it trains on a subset of the points and tests on the rest, in about forty fits.",
        preset: "moons", a: { theta: .1 }, b: null, controls: ["learner"],
        question: "Which θ will be chosen for the two moons?",
        answers: ["Below 0.1", "Between 0.1 and 10", "Above 10"], right: 1,
        task: "Move the slider of θ to its left end.",
        done: ({ a }) => a.setup.theta === 0,
        move: setup({ theta: 0 }),
        shown: ({ a, before }) => `Cross-validation chose θ = ${short(a.theta)}. The log loss is ${short(a.logLoss)}; with θ = 0.1, it was ${short(before.logLoss)}.`,
        holds: ({ a }) => a.theta > .1 && a.theta < 10,
      },
    ],
  },
  {
    title: "The prior",
    steps: [
      {
        text: "The prior of each weight is a normal distribution around zero, truncated to the side that the principle allows. Its precision α determines how narrow it is. mPCVM₁ learns one α for each weight.",
        preset: "overlap", a: { learner: "mpcvm1" }, b: null, veiled: "all",
        question: "A Gaussian process has one variance for all weights. How many of its 600 weights are zero?",
        answers: ["About half", "Nearly all", "None"], right: 2,
        move: alongside({ learner: "kernel-prior" }),
        shown: ({ a, b }) => `None: it has ${b.weights} weights. mPCVM₁ has ${a.weights}. A separate precision for each weight is what makes the model sparse.`,
        holds: ({ a, b }) => b.weights === 3 * b.points && a.weights < 20,
      },
      {
        text: "The E-step computes the mean of α from the weight: ᾱ = (2u + 1)/(w² + 2v). The chart of the precisions shows the result.",
        preset: "overlap", a: { learner: "mpcvm1" }, b: null, veiled: "charts",
        question: "Which weights have the largest precisions?",
        answers: ["The largest", "The smallest", "The weights of the most probable class"], right: 1,
        move: none,
        shown: ({ a }) => `The smallest. The smallest weight is ${short(a.least)} with ᾱ = ${short(1 / (a.least * a.least + 2e-5))}, the largest ${short(a.most)} with ᾱ = ${short(1 / (a.most * a.most + 2e-5))} (absolute values). Small weights are therefore pulled harder towards zero and are eventually pruned.`,
        holds: ({ a }) => a.least < a.most && a.least > 0,
      },
      {
        text: "These labels are random, so there is nothing to learn from the positions.",
        preset: "noise", a: { learner: "mpcvm1" }, b: null, at: 1, veiled: "all",
        question: "How many of the 360 weights remain?",
        answers: ["More than 100", "About 30", "Fewer than ten"], right: 2,
        move: play,
        shown: ({ a }) => `${a.weights}. If the labels do not support a weight, its precision grows until the weight is pruned. ${a.errors} of ${a.points} points are misclassified; guessing would misclassify two thirds.`,
        holds: ({ a }) => a.weights < 10 && a.errors > a.points / 2,
      },
      {
        text: "Point near a training point. The last chart shows its hidden variables: dashed before its label is known, solid given its label.",
        preset: "overlap", a: { learner: "mpcvm1" }, b: null,
        question: "The label of a point is known. Which of its hidden variables must now be the largest?",
        answers: ["The one for the most probable class", "The one for its label"], right: 1,
        task: "Point at a position where the model is uncertain.",
        done: ({ a }) => !!a.asked && Math.max(...a.asked.p) < .9,
        move: async l => l.ask(await l.border()),
        shown: () => "The one for its label, whatever the potentials are. Its mean z̄ therefore lies above its potential, and the others lie below theirs. These differences move the weights in the next step.",
        holds: ({ a }) => !!a.asked,
      },
    ],
  },
];

/** top returns the index of the largest value. @param {number[]} v */
const top = v => v.reduce((best, x, i) => x > v[best] ? i : best, 0);

/** mean returns the mean of points. @param {import("./state.js").Point[]} points @returns {Place} */
const mean = points => [rounded(points.reduce((sum, q) => sum + q[0], 0) / points.length), rounded(points.reduce((sum, q) => sum + q[1], 0) / points.length)];

/** fourth returns the position asked about if class 4 has five points and wins at their mean. @param {Facts} f */
const fourth = f => f.asked && f.counts.length === 4 && f.asked.p.length === 4 && top(f.asked.p) === 3 ? f.asked.at : null;

/**
 * @typedef {object} Host
 * @property {import("./state.js").State} state
 * @property {{a: Slot, b: Slot}} slots
 * @property {import("./player.js").Player} player
 * @property {import("./engine.js").Engine} engine
 * @property {(preset: string, seed: number, more?: Partial<Content>) => Promise<void>} usePreset
 * @property {() => Promise<void>} settled waits until all learners have finished
 * @property {(text: string) => void} say
 * @property {(tool: import("./plane.js").Tool) => void} tool
 * @property {(c: number) => void} choose
 */

/** Lessons leads the reader through the steps of a lesson. */
export class Lessons {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.card = by("lesson", HTMLDivElement);
    /** @type {Promise<void> | null} */ this.work = null;
    /** @type {[number, number] | null} */ this.at = null;
    /** @type {Facts | null} */ this.before = null;
    /** The answers so far, by lesson and step. @type {Map<string, {given: number, told: string}>} */ this.given = new Map();
    /** @type {(() => void) | null} called when the reader makes a move */ this.poked = null;
    this.shows = 0;
    lessons.forEach((lesson, n) => {
      const b = el("button", { type: "button" }, `${n + 1}. ${lesson.title}`);
      b.addEventListener("click", () => {
        by("lesson-menu", HTMLDetailsElement).open = false;
        void this.enter(n, 0);
      });
      by("lesson-list", HTMLDivElement).append(b);
    });
    host.state.addEventListener("steps", () => this.poked?.());
    host.state.addEventListener("change", () => this.poked?.());
  }

  /** count is the number of lessons. */
  get count() {
    return lessons.length;
  }

  /** track records work for idle. @param {Promise<void>} work */
  track(work) {
    const all = Promise.all([this.work, work]).then(() => {}, e => this.host.say(sentence(e))).finally(() => {
      if (this.work === all) this.work = null;
    });
    this.work = all;
    return all;
  }

  /** enter starts a step. @param {number} n @param {number} i @returns {Promise<void>} */
  enter(n, i) {
    return this.track(this.begin(n, i, true));
  }

  /** follow shows the step reached by a link or by undo. @param {[number, number] | null} at */
  follow(at) {
    if (String(at) === String(this.at)) return;
    if (at && lessons[at[0]]?.steps[at[1]]) void this.track(this.begin(...at, false));
    else this.hide();
  }

  hide() {
    this.shows++;
    this.at = this.poked = null;
    this.card.hidden = true;
    document.body.classList.remove("lesson", "veiled", "veiled-charts", "veiled-new");
  }

  /** leave ends the lesson. */
  leave() {
    this.hide();
    this.host.tool(firstTool());
    this.host.state.set({ lesson: null });
    by("lesson-menu", HTMLDetailsElement).querySelector("summary")?.focus();
  }

  /** @param {number} n @param {number} i @param {boolean} set */
  async begin(n, i, set) {
    const { state, slots, usePreset, settled, tool, choose } = this.host, step = lessons[n].steps[i], number = ++this.shows;
    this.at = [n, i];
    this.poked = null;
    document.body.classList.add("lesson");
    document.body.classList.toggle("veiled", step.veiled === "all");
    document.body.classList.toggle("veiled-charts", !!step.veiled);
    document.body.classList.toggle("veiled-new", !!step.fresh);
    for (const part of /** @type {const} */ (["data", "draw", "learner"])) document.body.classList.toggle("with-" + part, !!step.controls?.includes(part));
    this.draw(n, i);
    if (set) {
      const b = step.b ? { ...defaultSetup, ...step.b } : null;
      for (const s of Object.values(slots)) void s.ask(null);
      await usePreset(step.preset ?? "overlap", 0, { a: { ...defaultSetup, ...step.a }, b, step: step.at ?? 0, lesson: [n, i],
        ...(step.wide ? { box: [-step.wide, -step.wide, step.wide, step.wide] } : {}) });
      choose(n === 1 && i === 4 ? 3 : 0);
      tool(step.controls?.includes("draw") ? "draw" : "ask");
    }
    await new Promise(done => setTimeout(done));
    await settled();
    if (number !== this.shows) return;
    this.start = state.now.points;
    this.before = await this.facts(slots.a);
    this.card.dataset.ready = "true";
    for (const b of this.card.querySelectorAll("button[data-answer]")) b.removeAttribute("disabled");
  }

  /** draw fills the card. @param {number} n @param {number} i */
  draw(n, i) {
    const { title, steps } = lessons[n], step = steps[i], { card } = this;
    const dots = el("span", { class: "dots", "aria-hidden": "true" }, ...steps.map((_, k) => el("i", { class: k === i ? "now" : k < i ? "past" : "" })));
    const heading = el("h2", { tabindex: -1 }, `Lesson ${n + 1}: ${title}`);
    const answers = el("div", { class: "answers", role: "group", "aria-label": "Answers" }, ...step.answers.map((a, k) => button(a, () => void this.answer(k), { "data-answer": String(k), disabled: true })));
    const next = i + 1 < steps.length ? button("Next", () => void this.enter(n, i + 1), { class: "next" })
      : n + 1 < lessons.length ? button(`Lesson ${n + 2}`, () => void this.enter(n + 1, 0), { class: "next" }) : button("End", () => this.leave(), { class: "next" });
    card.hidden = false;
    card.dataset.ready = "false";
    delete card.dataset.holds;
    card.replaceChildren(
      el("div", { class: "head" }, heading, button("Leave", () => this.leave(), { title: "End the lesson and keep the model" })),
      el("p", { class: "where" }, `Step ${i + 1} of ${steps.length}`, dots),
      el("p", {}, step.text), el("p", { class: "question" }, step.question), answers,
      el("div", { class: "outcome", "aria-live": "polite" }),
      el("div", { class: "foot" }, i > 0 ? button("Back", () => void this.enter(n, i - 1)) : "", next));
    heading.focus({ preventScroll: true });
    card.scrollIntoView({ block: "nearest" });
  }

  /** answer records the reader's answer, and makes or awaits the move. @param {number} k @returns {Promise<void>} */
  answer(k) {
    if (!this.at || this.card.dataset.ready !== "true") return Promise.resolve();
    const [n, i] = this.at, step = lessons[n].steps[i], { card } = this, outcome = card.querySelector(".outcome");
    card.dataset.ready = "false";
    for (const b of card.querySelectorAll("button[data-answer]")) {
      const own = Number(b.getAttribute("data-answer"));
      b.setAttribute("disabled", "");
      if (own === k) b.classList.add("chosen");
    }
    if (!step.task) return this.track(this.finish(k, step));
    const number = this.shows, finish = () => {
      if (number !== this.shows || !this.poked) return;
      this.poked = null;
      void this.track(this.finish(k, step));
    };
    const self = el("button", { type: "button", "data-self": true }, "Do it for me");
    self.addEventListener("click", finish);
    outcome?.replaceChildren(el("p", { class: "task" }, step.task), self);
    let looking = false, again = false;
    const look = async () => {
      await new Promise(done => setTimeout(done, 250));
      await this.host.settled();
      if (number !== this.shows || !this.poked || !step.done || !this.before) return;
      const a = await this.facts(this.host.slots.a, step);
      if (number !== this.shows || !this.poked || !step.done({ a, b: a, before: this.before })) return;
      this.poked = null;
      void this.track(this.finish(k, step, true));
    };
    this.poked = () => {
      again = true;
      if (looking) return;
      looking = true;
      void (async () => {
        while (again) {
          again = false;
          await look().catch(() => again = !!this.poked); // the model was trained again meanwhile
        }
        looking = false;
      })();
    };
    this.poked();
    return Promise.resolve();
  }

  /** finish makes the move, unless the reader has already made it, and shows the answer. @param {number} k @param {LessonStep} step @param {boolean} [made] */
  async finish(k, step, made = false) {
    const number = this.shows, { card, host } = this, { slots } = host;
    document.body.classList.remove("veiled", "veiled-charts", "veiled-new");
    if (!made) await step.move(this);
    await host.settled();
    if (number !== this.shows || !this.before) return;
    const a = await this.facts(slots.a, step), b = host.state.now.b ? await this.facts(slots.b, step) : a;
    if (number !== this.shows) return;
    const seen = { a, b, before: this.before };
    card.dataset.holds = String(step.holds(seen));
    for (const e of card.querySelectorAll("button[data-answer]")) if (Number(e.getAttribute("data-answer")) === step.right) e.classList.add("right");
    const told = step.shown(seen);
    if (this.at) this.given.set(this.at.join(), { given: k, told });
    card.querySelector(".outcome")?.replaceChildren(el("p", {}, el("strong", {}, k === step.right ? "Right. " : "Not quite. "), told));
    card.querySelector(".next")?.classList.add("main");
    card.scrollIntoView({ block: "nearest" });
  }

  /** sheet returns the reader's answers as a text. */
  sheet() {
    const out = ["mPCVM playground: answers", "Name: ____________________    Date: ____________________", ""];
    let right = 0;
    lessons.forEach(({ title, steps }, n) => {
      const done = steps.map((step, i) => ({ step, i, answer: this.given.get(`${n},${i}`) })).filter(d => d.answer);
      if (!done.length) return;
      out.push(`Lesson ${n + 1}: ${title}`, "");
      for (const { step, i, answer } of done) {
        const good = answer?.given === step.right;
        right += +good;
        out.push(`${i + 1}. ${step.text} ${step.question}`, `   My answer: ${step.answers[answer?.given ?? 0]} ${good ? "(right)" : `(wrong; the right answer is: ${step.answers[step.right]})`}`, `   ${answer?.told}`, "");
      }
    });
    return [...out, this.given.size ? `${right} of ${this.given.size} right.` : "You have not answered any questions yet."].join("\n");
  }

  /** facts returns the current facts of a learner. @param {Slot} slot @param {LessonStep} [step] @returns {Promise<Facts>} */
  async facts(slot, step) {
    const { state, engine } = this.host, { points, source } = state.now, { now, steps, name } = slot;
    if (!now) throw new Error(slot.error || "There is no model yet.");
    const ids = /** @param {import("./charts.js").Step} s */ s => new Set(Array.from({ length: s.flat.length / 3 }, (_, i) => `${s.flat[3 * i]} ${s.flat[3 * i + 1]}`));
    let violations = 0, falls = 0, nested = true, deleted = 0;
    for (let i = 0; i < now.flat.length; i += 3) if (points[now.flat[i]][2] === now.flat[i + 1] ? now.flat[i + 2] < 0 : now.flat[i + 2] > 0) violations++;
    steps.forEach((s, i) => {
      deleted += s.deleted.length;
      if (!i) return;
      if (i > 10 && (s.objective ?? 0) < (steps[i - 1].objective ?? 0) - 1e-9) falls++;
      const old = ids(steps[i - 1]);
      for (const id of ids(s)) nested &&= old.has(id);
    });
    const at = points.map(q => /** @type {Place} */ ([q[0], q[1]]));
    const { p } = await engine.proba(name, now.iteration, at);
    let eligible = NaN;
    if (now.factors) {
      const f = await engine.look(name, now.iteration);
      eligible = 0;
      f.s.forEach((/** @type {number[]} */ row, /** @type {number} */ c) => row.forEach((s, i) => {
        const q = f.q[c][i];
        if (f.alpha[c][i] === null && q * q > s && (points[i][2] === c) === q > 0) eligible++;
      }));
    }
    let fresh = NaN;
    if (step?.fresh && source) {
      const v = await engine.fresh(name, now.iteration, source);
      fresh = v.errors / v.points;
    }
    const moved = points.findIndex((q, i) => this.start?.[i] && q !== this.start[i] && String(q) !== String(this.start[i]));
    let place = slot.asked;
    const added = points.filter(q => q[2] === 3);
    if (this.at?.[0] === 1 && this.at[1] === 4) place = added.length >= 5 ? mean(added) : null;
    else if (moved >= 0) place = [points[moved][0], points[moved][1]];
    const asked = place ? { .../** @type {import("./plane.js").Explanation} */ (/** @type {unknown} */ (await engine.explain(name, now.iteration, place))), at: place } : null;
    const grid = [], [x0, y0, x1, y1] = boxOf(this.start ?? points);
    for (let i = 0; i < 144; i++) grid.push([x0 + (i % 12 + .5) / 12 * (x1 - x0), y0 + (Math.floor(i / 12) + .5) / 12 * (y1 - y0)]);
    const there = /** @type {number[][]} */ ((await engine.proba(name, now.iteration, grid)).p);
    let change = 0;
    if (!this.start || points === this.start || !this.grid) this.grid = there;
    else there.forEach((row, i) => row.forEach((v, c) => change = Math.max(change, Math.abs(v - (this.grid?.[i][c] ?? 0)))));
    const sizes = Array.from({ length: now.flat.length / 3 }, (_, i) => Math.abs(now.flat[3 * i + 2]));
    return {
      least: Math.min(...sizes), most: Math.max(...sizes),
      points: points.length, errors: now.errors, logLoss: now.logLoss ?? NaN, vectors: new Set(samples(now)).size, weights: now.flat.length / 3, counts: now.counts,
      iteration: now.iteration, iterations: slot.last, status: slot.status, theta: slot.theta, violations, falls, deleted, nested,
      sure: p.reduce((/** @type {number} */ sum, /** @type {number[]} */ row) => sum + Math.max(...row), 0) / p.length,
      fresh, eligible, asked, moved, change, setup: slot.setup ?? defaultSetup,
    };
  }

  // Moves of the page.

  /** show goes to an iteration. @param {number} step */
  async show(step) {
    this.host.state.set({ step });
    await this.host.settled();
  }

  async play() {
    await this.host.player.play();
    await this.host.settled();
  }

  /** put changes the setup of learner A. @param {Partial<Setup>} fields */
  async put(fields) {
    const { state, settled } = this.host;
    state.set({ a: { ...state.now.a, ...fields }, step: 0 });
    await settled();
  }

  /** ask asks about a position. @param {Place} at */
  async ask(at) {
    for (const s of Object.values(this.host.slots)) if (s.setup) await s.ask(at);
  }

  /** @returns {Promise<{at: Place, p: number[], y: number[]}[]>} the answers on a grid over the points */
  async survey() {
    const { state, engine } = this.host, [x0, y0, x1, y1] = boxOf(state.now.points), n = 40;
    /** @type {Place[]} */ const at = Array.from({ length: n * n }, (_, i) => [x0 + (i % n + .5) / n * (x1 - x0), y0 + (Math.floor(i / n) + .5) / n * (y1 - y0)]);
    const { p, y } = await engine.proba("a", 0, at);
    return at.map((v, i) => ({ at: v, p: p[i], y: y[i] }));
  }

  /** surest returns the position where a class is most probable. @param {number} c @returns {Promise<Place>} */
  async surest(c) {
    return (await this.survey()).reduce((best, v) => v.p[c] > best.p[c] ? v : best).at;
  }

  /** middle returns a position near the point of a class with its highest probability. @param {number} c @returns {Promise<Place>} */
  async middle(c) {
    const { state, engine } = this.host, own = state.now.points.filter(q => q[2] === c);
    const { p } = await engine.proba("a", 0, own.map(q => [q[0], q[1]]));
    const [x, y] = own[p.reduce((/** @type {number} */ best, /** @type {number[]} */ row, /** @type {number} */ i) => row[c] > p[best][c] ? i : best, 0)];
    return [x, +(y + .05).toFixed(3)];
  }

  /** @param {number} c @returns {Place} the first point of a class */
  pointOf(c) {
    const q = this.host.state.now.points.find(v => v[2] === c);
    return q ? [q[0], q[1]] : [0, 0];
  }

  /** between finds a position between u and v where f is zero; f must have different signs at u and v. @param {Place} u @param {Place} v @param {(y: number[]) => number} f @returns {Promise<Place>} */
  async between(u, v, f) {
    const { engine } = this.host, value = async (/** @type {Place} */ q) => f((await engine.proba("a", 0, [q])).y[0]);
    const low = await value(u) < 0;
    for (let i = 0; i < 24; i++) {
      /** @type {Place} */ const m = [(u[0] + v[0]) / 2, (u[1] + v[1]) / 2];
      if (await value(m) < 0 === low) u = m;
      else v = m;
    }
    return u;
  }

  /** lead returns a position where the first of two potentials is larger by d. @param {number} d */
  async lead(d) {
    const all = await this.survey(), f = (/** @type {number[]} */ y) => y[0] - y[1] - d;
    return this.between(all.reduce((best, v) => f(v.y) > f(best.y) ? v : best).at, all.reduce((best, v) => f(v.y) < f(best.y) ? v : best).at, f);
  }

  /** border returns a position on the border of two regions where the third class has some probability. */
  async border() {
    const all = await this.survey(), by = (/** @type {{p: number[]}} */ v) => [...v.p].map((p, c) => [p, c]).sort((u, w) => w[0] - u[0]);
    const best = all.reduce((u, v) => {
      const [p, q, r] = by(v), [a, b, c] = by(u), cost = (/** @type {number[][]} */ w) => Math.abs(w[0][0] - w[1][0]) + Math.abs(w[2][0] - .15);
      return cost([p, q, r]) < cost([a, b, c]) ? v : u;
    });
    const [first, second] = by(best), f = (/** @type {number[]} */ y) => y[first[1]] - y[second[1]];
    const other = all.filter(v => f(v.y) < 0).reduce((u, v) => Math.hypot(v.at[0] - best.at[0], v.at[1] - best.at[1]) < Math.hypot(u.at[0] - best.at[0], u.at[1] - best.at[1]) ? v : u);
    return this.between(best.at, other.at, f);
  }
}
