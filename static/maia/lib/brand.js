/** The mark and the wordmark of MAIA. */

import { html } from "lit";

const IMAGES = new URL("../../img/", import.meta.url).pathname;

/** Draws the mark beside the wordmark. */
export function brand() {
  return html`<img class="mark" src="${IMAGES}mark.svg" width="30" height="30" alt=""><img
    class="word" src="${IMAGES}wordmark.svg"
    width="57" height="21" alt="MAIA">`;
}
