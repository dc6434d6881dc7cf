/**
 * The keys of a timeline: J and K go through the messages, E folds and unfolds the cards of one,
 * "."
 * leads to what can be done with it.
 */

/** How much of a message has to be in view for it to be the current one, in pixels. */
const IN_VIEW = 24;

export class TimelineKeys {
  /** @param {() => HTMLElement} scroller */
  constructor(scroller) {
    this.scroller = scroller;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#onMessages(event)) return;
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") this.#step(key === "j" ? 1 : -1);
    else if (key === "e") this.#fold();
    else if (key === ".")
      /** @type {HTMLElement | null | undefined} */ (
        this.#current()?.querySelector(".msg-actions button")
      )?.focus();
    else return;
    event.preventDefault();
  }

  /**
   * Whether the focus is on the timeline or on a whole message, not on something inside one.
   * @param {Event} event
   */
  #onMessages({ target }) {
    if (target === this.scroller()) return true;
    if (!(target instanceof HTMLElement)) return false;
    return Boolean(
      target.parentElement?.hasAttribute("data-message") || target.closest(".msg-actions"),
    );
  }

  get #rows() {
    return [...this.scroller().querySelectorAll("[data-message]")];
  }

  /** @param {number} by */
  #step(by) {
    const all = this.#rows;
    const now = this.#current();
    const at = now ? all.indexOf(now) : all.length;
    const next =
      all[Math.min(all.length - 1, Math.max(0, at + (this.#chosen ? by : Math.min(0, by))))];
    const row = /** @type {HTMLElement | null | undefined} */ (next?.firstElementChild);
    if (!next || !row) return;
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }

  /** The message that has the focus. */
  get #chosen() {
    return document.activeElement?.closest("[data-message]") ?? undefined;
  }

  /** The message that has the focus, else the first one in view. */
  #current() {
    const { top } = this.scroller().getBoundingClientRect();
    return (
      this.#chosen ?? this.#rows.find((each) => each.getBoundingClientRect().bottom - top > IN_VIEW)
    );
  }

  #fold() {
    /** @type {NodeListOf<import("maia/components/conversation/maia-tool-call").MaiaToolCall>} */
    const found = (this.#current() ?? this.scroller()).querySelectorAll("maia-tool-call");
    const cards = [...found];
    const open = !cards.some((card) => card.querySelector("details[open]"));
    for (const card of cards) card.toggle(open);
  }
}
