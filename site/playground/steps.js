// The equations of an iteration, next to the animation. The steps that took place are highlighted.
import { el } from "./look.js";
import { question, typeset } from "./help.js";

/** @typedef {import("./charts.js").Step} Step */
/** @typedef {[name: string, equation: string, took: (now: Step, before: Step | undefined) => boolean]} Part */

const always = () => true;
const fewer = /** @type {Part[2]} */ (now, before) => !!before && now.flat.length < before.flat.length;
/** @type {Part} */ const hidden = ["E-step", "z̄_{nc} = E[z_{nc} | t_n, y_n]", always];
/** @type {Part[]} */
const topDown = [hidden, ["", "ᾱ_{nc} = (2u + 1)/(w_{nc}² + 2v)", always], ["M-step", "w_c = arg min |z̄_c − Φw_c|² + w_cᵀ A_c w_c, signs kept", always], ["prune", "ᾱ_{nc} > threshold: w_{nc} = 0", fewer]];
/** @type {Record<string, Part[]>} */
const parts = {
  mpcvm1: topDown, mrvm2: topDown.map(([name, e, took]) => [name, e.replace(", signs kept", ""), took]), "mpcvm1-published": topDown.map(([name, e, took]) => name === "M-step" ? [name, "w_c = (ΦᵀΦ + A_c)^{−1} Φᵀ(z̄_c − b_c), then wrong signs set to 0", took] : [name, e, took]),
  mpcvm2: [hidden, ["add", "q² > s, right sign: α = s²/(q² − s)", s => s.added.length > 0], ["delete", "q² ≤ s or wrong sign: α = ∞", s => s.deleted.length > 0], ["weights", "w_c = Σ_c Φᵀ z̄_c", always]],
};
parts["mpcvm2-published"] = parts.mpcvm2;

/** Steps shows the equations of one learner. */
export class Steps {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.learner = "";
    this.list = el("ul", { class: "equations" });
    this.box = el("figure", { class: "step" }, el("figcaption", {}, el("span", {}, "This iteration"), el("span", {}, ...question("this iteration", () => "step"))), this.list);
    root.append(this.box);
  }

  /** show highlights the parts of a step. @param {string} learner @param {Step} now @param {Step | undefined} before */
  show(learner, now, before) {
    const all = parts[learner] ?? [];
    this.box.hidden = !all.length;
    if (this.learner !== learner) {
      this.learner = learner;
      this.list.replaceChildren(...all.map(([name, equation]) => {
        const item = el("li", {}, el("span", {}, name), el("span"));
        /** @type {HTMLElement} */ (item.lastElementChild).innerHTML = typeset(equation);
        return item;
      }));
    }
    all.forEach(([, , took], i) => this.list.children[i].classList.toggle("lit", took(now, before)));
  }
}
