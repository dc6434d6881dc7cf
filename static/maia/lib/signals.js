/** Lets an element draw itself again when a signal it read has changed. */

import { effect } from "signals";

/**
 * Returns a base class whose `render` is tracked; drawing waits for the next microtask.
 * @template {new (...args: any[]) => import("lit").LitElement} T
 * @param {T} Base
 */
export function Watching(Base) {
  return class extends Base {
    /** @type {(() => void) | undefined} */ #stop;

    performUpdate() {
      if (!this.isUpdatePending) return;
      this.#stop?.();
      let first = true;
      this.#stop = effect(() => {
        if (first) {
          first = false;
          super.performUpdate();
        } else {
          this.requestUpdate();
        }
      });
    }

    connectedCallback() {
      super.connectedCallback();
      this.requestUpdate();
    }

    disconnectedCallback() {
      super.disconnectedCallback();
      this.#stop?.();
    }
  };
}
