/**
 * <maia-thought>: the model's reasoning; its last lines while it streams, folded once it is over.
 */
import { html } from "lit";
import { chevron, icon, MaiaElement } from "maia/lib/dom";
import { duration, lastLines } from "maia/lib/format";
import { t } from "maia/lib/i18n";

const LINES_WHILE_STREAMING = 3;

export class MaiaThought extends MaiaElement {
  static properties = { thought: { attribute: false }, streaming: { attribute: false } };

  constructor() {
    super();
    /** @type {import("maia/frames").ThoughtPart} */
    this.thought = { type: "thought", text: "", interrupted: false };
    this.streaming = false;
  }

  render() {
    return this.streaming
      ? html`<div class="thought live"><span
        class="thought-head">${icon("think", "i-s")}<span>${t("thought.live")}</span></span>
        <p dir="auto">${lastLines(this.thought.text, LINES_WHILE_STREAMING)}</p></div>`
      : html`<details
        class="thought"
      ><summary>${icon("think", "i-s")}<span>${this._title()}</span>${chevron()}</summary>
        <p dir="auto">${this.thought.text}</p></details>`;
  }

  _title() {
    const { seconds } = this.thought;
    return seconds === undefined || seconds === null
      ? t("thought.done")
      : t("thought.for", { time: duration(Math.max(1, Math.round(seconds))) });
  }
}

customElements.define("maia-thought", MaiaThought);
