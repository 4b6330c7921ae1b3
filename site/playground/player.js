// The player of the iterations: play, pause, step forward and back, and a slider.
import { by, set } from "./look.js";

const icons = {
  play: "M3 1.5v11l10-5.5z", pause: "M3 2h3v10H3zM8 2h3v10H8z",
};

/**
 * @typedef {object} Film what the player plays
 * @property {() => number} last iteration of the longest fit
 * @property {() => number} shown iteration
 * @property {(iteration: number, underWay: boolean) => void} show
 * @property {() => Promise<void>} drawn waits for the picture of the iteration
 */

export class Player {
  /** @param {Film} film */
  constructor(film) {
    this.film = film;
    this.playing = 0; // number of the run; 0 if none
    this.runs = 0;
    this.slider = by("iteration", HTMLInputElement);
    this.output = by("iteration-text", HTMLOutputElement);
    this.button = by("play", HTMLButtonElement);
    const on = /** @param {string} id @param {() => void} f */ (id, f) => by(id, HTMLButtonElement).addEventListener("click", f);
    on("play", () => this.playing ? this.pause() : void this.play());
    on("first", () => this.go(1));
    on("back", () => this.go(film.shown() - 1));
    on("forth", () => this.go(film.shown() + 1));
    on("final", () => this.go(film.last()));
    this.slider.addEventListener("input", () => this.go(+this.slider.value, true));
    this.slider.addEventListener("change", () => this.go(+this.slider.value));
  }

  /** @param {number} iteration @param {boolean} [underWay] */
  go(iteration, underWay = false) {
    this.pause();
    this.film.show(Math.max(1, Math.min(this.film.last(), iteration)), underWay);
  }

  pause() {
    this.playing = 0;
    this.update();
  }

  /** play shows the iterations in about six seconds, skipping some if there are many. It returns at the last iteration or when paused. */
  async play() {
    const { film } = this, run = this.playing = ++this.runs;
    this.update();
    const from = film.shown() >= film.last() ? 0 : film.shown(), start = performance.now();
    let i = from;
    while (this.playing === run && i < film.last()) {
      i = Math.min(film.last(), Math.max(i + 1, from + Math.floor((performance.now() - start) / 6000 * film.last())));
      film.show(i, true);
      const pace = Math.max(30, Math.min(450, 6000 / film.last()));
      await Promise.all([film.drawn(), new Promise(done => setTimeout(done, pace))]);
      if (film.shown() !== i) break; // moved by something else
    }
    if (this.playing === run) {
      this.pause();
      film.show(film.shown(), false);
    }
  }

  /** update shows the current position. */
  update() {
    const { slider, film } = this, last = film.last(), shown = Math.min(last, film.shown());
    slider.max = String(Math.max(1, last));
    slider.value = String(shown);
    const text = last ? `iteration ${shown} of ${last}` : "no iterations";
    if (this.output.value !== text) this.output.value = text;
    slider.setAttribute("aria-valuetext", text);
    const name = this.playing ? "Pause" : "Play";
    if (this.button.getAttribute("aria-label") !== name) {
      this.button.setAttribute("aria-label", name);
      this.button.title = name;
      const path = this.button.querySelector("path");
      if (path) set(path, { d: this.playing ? icons.pause : icons.play });
    }
    for (const id of ["first", "back"]) by(id, HTMLButtonElement).disabled = shown <= 1;
    for (const id of ["forth", "final"]) by(id, HTMLButtonElement).disabled = shown >= last;
    slider.disabled = this.button.disabled = last < 2;
  }
}
