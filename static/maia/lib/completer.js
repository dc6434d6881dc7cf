/**
 * Completer: what the menu of the composer shows while somebody types. What the page knows comes at
 * once, the rest from the server, and an answer that comes late is not shown.
 */

import { fitting, tokenAt } from "maia/lib/completion";

/** @typedef {import("maia/lib/completion").Option} Option */
/** @typedef {import("maia/lib/completion").Completion} Completion */

/** Keys pressed faster than this ask once. */
const PAUSE = 60;
/** The longest word that is worth asking about. */
const LONGEST = 200;

export class Completer {
  /** @type {AbortController | undefined} */ #asking;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** @type {Completion | undefined} */ #menu;

  /**
   * @param {(sign: string, typed: string, signal: AbortSignal) => Promise<Option[]>} ask
   * @param {(menu: Completion | undefined) => void} show
   * @param {number} [pause] milliseconds
   */
  constructor(ask, show, pause = PAUSE) {
    this.ask = ask;
    this.show = show;
    this.pause = pause;
  }

  /**
   * Looks at the text before the caret.
   * @param {string} before
   * @param {(sign: string) => Option[]} known what the page knows itself
   */
  look(before, known) {
    this.#stop();
    const token = tokenAt(before);
    if (!token) return this.#set(undefined);
    const kept =
      this.#menu?.sign === token.sign && this.#menu.from === token.from ? this.#menu.options : [];
    const options = fitting(token, kept.length ? kept : known(token.sign));
    this.#set(options.length ? { ...token, options } : undefined);
    if (token.sign === "/" || token.typed.length > LONGEST) return undefined;
    this.#timer = setTimeout(() => this.#askAbout(token), this.pause);
    return undefined;
  }

  /** Closes the menu. */
  close() {
    this.#stop();
    this.#set(undefined);
  }

  /** @param {import("maia/lib/completion").Token} token */
  async #askAbout(token) {
    const asking = new AbortController();
    this.#asking = asking;
    const options = await this.ask(token.sign, token.typed, asking.signal).catch(() => undefined);
    if (asking.signal.aborted || !options) return;
    this.#set(options.length || tellsOfNone(token) ? { ...token, options } : undefined);
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#asking = undefined;
  }

  /** @param {Completion | undefined} menu */
  #set(menu) {
    this.#menu = menu;
    this.show(menu);
  }
}

/**
 * A sign that nothing follows yet says so: there is no skill at all.
 * @param {import("maia/lib/completion").Token} token
 */
function tellsOfNone({ sign, typed }) {
  return sign === "§" && !typed;
}
