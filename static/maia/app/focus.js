/** Focus: it is never lost when what had it goes away with a redraw. */

export class FocusKeeper {
  /** @type {Element | null} */ #last = null;

  /** @param {() => HTMLElement | null} heir takes the focus that has lost its place */
  constructor(heir) {
    this.heir = heir;
  }

  /** Remembers who has the focus. @param {FocusEvent} event */
  moved = ({ target }) => {
    this.#last = target instanceof Element ? target : null;
  };

  /** Looks after a redraw, once every element below has drawn itself. */
  async check() {
    await new Promise(requestAnimationFrame);
    const free = !document.activeElement || document.activeElement === document.body;
    if (!free || !this.#last || this.#last.isConnected) return;
    this.#last = null;
    this.heir()?.focus({ preventScroll: true });
  }
}
