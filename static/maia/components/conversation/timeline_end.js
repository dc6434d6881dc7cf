/**
 * The end of a timeline: followed only while the reader is there (guide §6). What is drawn above
 * the
 * reader leaves what they read where it is.
 */

const NEAR_END = 48;
const NEAR_TOP = 600;

export class TimelineEnd {
  #pinned = true;
  #top = 0;
  #height = 0;
  /** Whether the person moved the timeline since it was last put to its end. */
  #moved = false;
  /**
   * @type {{element: Element, top: number} | undefined} what stays where it is over the next
   *   drawing
   */
  #anchor = undefined;
  #resize = new ResizeObserver(() => this.#follow());

  /**
   * @param {object} parts
   * @param {() => HTMLElement | null} parts.scroller
   * @param {() => void} parts.onChange the end was left, or reached
   * @param {() => void} parts.onNearTop the reader is near the first message, and may want more
   */
  constructor({ scroller, onChange, onNearTop }) {
    this.scroller = scroller;
    this.onChange = onChange;
    this.onNearTop = onNearTop;
  }

  /** Whether the end is followed. */
  get pinned() {
    return this.#pinned;
  }

  /** @param {boolean} pinned */
  #set(pinned) {
    if (pinned === this.#pinned) return;
    this.#pinned = pinned;
    this.onChange();
  }

  /** Follows what grows in the element. @param {Element} content */
  watch(content) {
    this.#resize.observe(content);
    const scroller = this.scroller();
    if (scroller) this.#resize.observe(scroller);
  }

  unwatch() {
    this.#resize.disconnect();
  }

  /** Goes to the end and follows it again. */
  pin() {
    this.#set(true);
    this.#moved = false;
    this.#follow();
    requestAnimationFrame(() => this.#follow());
  }

  #follow() {
    const scroller = this.scroller();
    if (!scroller || !this.#pinned) return;
    scroller.scrollTop = scroller.scrollHeight;
    this.#remember(scroller);
  }

  /** @param {HTMLElement} scroller */
  #remember({ scrollTop, scrollHeight }) {
    this.#top = scrollTop;
    this.#height = scrollHeight;
  }

  /**
   * What moves a timeline by hand; a page that is drawn again moves it too, which means nothing.
   */
  touched = (/** @type {Event} */ event) => {
    this.#moved = !(event instanceof WheelEvent && event.deltaY > 0);
  };

  scrolled = () => {
    const scroller = /** @type {HTMLElement} */ (this.scroller());
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const up = scrollTop < this.#top - 1;
    const meant = this.#moved || scrollHeight === this.#height;
    this.#remember(scroller);
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) this.#set(true);
    else if (up && this.#pinned) this.#leave(meant);
    if (scrollTop < NEAR_TOP && up) this.onNearTop();
  };

  /**
   * What was drawn meanwhile cut the timeline short for a moment: only who meant to go up leaves
   * its end.
   * @param {boolean} meant
   */
  #leave(meant) {
    if (meant) this.#set(false);
    else this.#follow();
    this.#moved = false;
  }

  /** Asks for what is before, once all is drawn, where there is too little to be scrolled. */
  fill() {
    requestAnimationFrame(() => {
      const scroller = this.scroller();
      if (scroller && scroller.scrollHeight <= scroller.clientHeight) this.onNearTop();
    });
  }

  /**
   * Keeps the first message in view where it is, over the next drawing.
   * @param {Iterable<Element>} messages
   */
  hold(messages) {
    const top = this.scroller()?.getBoundingClientRect().top ?? 0;
    for (const element of messages) {
      const box = element.getBoundingClientRect();
      if (box.bottom <= top) continue;
      this.#anchor = { element, top: box.top };
      return;
    }
  }

  /** Puts what was held back where it was. */
  settle() {
    if (!this.#anchor) return;
    const { element, top } = this.#anchor;
    this.#anchor = undefined;
    const back = () => {
      const scroller = this.scroller();
      if (this.#pinned || !scroller) return;
      scroller.scrollTop += element.getBoundingClientRect().top - top;
      this.#remember(scroller);
    };
    back();
    requestAnimationFrame(back);
  }
}
