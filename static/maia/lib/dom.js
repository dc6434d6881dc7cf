/** Small things every component draws with. */

import { html, LitElement, nothing, svg } from "lit";

const SPRITE = new URL("../../img/icons.svg", import.meta.url).pathname;

/** Base of every element: light DOM, so that the page's style sheets apply. */
export class MaiaElement extends LitElement {
  createRenderRoot() {
    return this;
  }

  /**
   * Tells the parents something; `detail` is what they need to act.
   * @param {string} name
   * @param {any} [detail]
   */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }
}

/**
 * Draws an icon of the sprite.
 * @param {string} name symbol id without "i-"
 * @param {string} [classes] "i-s" and "i-xs" are the smaller sizes
 */
export function icon(name, classes = "") {
  return html`<svg class="i ${classes}" aria-hidden="true"><use
    href="${SPRITE}#i-${name}"></use></svg>`;
}

/** Makes a small icon where no template draws. @param {string} name */
export function iconElement(name) {
  const names = "http://www.w3.org/2000/svg";
  const icon = document.createElementNS(names, "svg");
  icon.setAttribute("class", "i i-s");
  icon.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(names, "use");
  use.setAttribute("href", `${SPRITE}#i-${name}`);
  icon.append(use);
  return icon;
}

/** Draws a chevron that turns when its `<details>` opens. */
export function chevron() {
  return icon("right", "i-xs chev");
}

/** Draws the three waiting squares. @param {string} [size] */
export function squares(size = "") {
  return html`<span class="squares ${size}" aria-hidden="true"><i></i><i></i><i></i></span>`;
}

/** Draws grey lines in the place of words that are on their way. */
export function waitingLines() {
  return html`<div class="stack" aria-busy="true">${[7, 5, 9, 7].map(
    (width) => html`<span class="skel w${width}"></span>`,
  )}</div>`;
}

/** Draws the outline of a mask for empty places. */
export function ghostMask() {
  return html`<svg class="ghost-mask" aria-hidden="true"><use
    href="${SPRITE}#mask-plain"></use></svg>`;
}

const HUES = ["lagoon", "ember", "rose", "iris", "moss", "slate"];
const EYES = ["square", "slit", "round", "moon", "diamond"];

/** @param {string} text */
function hash(text) {
  let value = 7;
  for (const char of text) value = (value * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return value;
}

/** @type {Map<string, number>} */
let places = new Map();

/**
 * Gives the site's agents their looks, in order; others get one from their name.
 * @param {string[]} names
 */
export function dressAgents(names) {
  places = new Map(names.map((name, index) => [name, index]));
}

/**
 * Draws an agent's mask.
 * @param {string} name
 * @param {{size?: "" | "s" | "m" | "l", state?: string}} [options]
 */
export function agentAvatar(name, { size = "", state = "" } = {}) {
  const number = places.get(name) ?? hash(name);
  const hue = HUES[number % HUES.length];
  const eyes = EYES[number % EYES.length];
  return html`<span class="av agent ${size} hue-${hue}" aria-hidden="true"><svg><use
    href="${SPRITE}#mask-${eyes}"></use></svg>${
      state ? html`<span class="dot ${state}"></span>` : nothing
    }</span>`;
}

/**
 * Draws a person's round avatar with initials.
 * @param {{id?: number, name: string}} person
 * @param {"" | "s" | "m" | "l"} [size]
 */
export function personAvatar(person, size = "") {
  const tone = 1 + ((person.id ?? 0) % 4);
  return html`<span class="av p${tone} ${size}" aria-hidden="true">${initials(person.name)}</span>`;
}

/** @param {string} name */
function initials(name) {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const letters =
    words.length > 1
      ? [words[0], words[words.length - 1]].map((word) => [...word][0])
      : [...(words[0] ?? "?")].slice(0, 2);
  return letters.join("").toUpperCase();
}

/**
 * Remembers where the focus is; the function it returns puts it back there if it was lost. For an
 * entry of a menu that is where the menu opens: the menu itself is gone by then.
 */
export function keepFocus() {
  const now = document.activeElement;
  const menu = now?.closest("[popover]");
  const place = menu ? document.querySelector(`[popovertarget="${menu.id}"]`) : now;
  return () => {
    const holder = document.activeElement;
    const lost = !holder || holder === document.body || !holder.checkVisibility();
    if (lost && place?.isConnected)
      /** @type {HTMLElement} */ (place).focus({ preventScroll: true });
  };
}

export { html, nothing, svg };
