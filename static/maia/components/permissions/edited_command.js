/** A command that its reader changes before they answer, and what the rules say about it then. */
import { html, live, nothing } from "lit";
import { t } from "maia/lib/i18n";
import { composes } from "maia/lib/keys";
import { commandOf, inputOf } from "maia/lib/tools";
import { visible } from "maia/lib/visible";

/** The rules look at an edited command once nobody typed for so long, in milliseconds. */
const JUDGE_AFTER = 350;
/** @type {Record<string, string>} */
const LOOKS = { allow: "ok", ask: "ask", deny: "fail" };

/** @typedef {import("maia/lib/request_calls").Judgement} Judgement */

export class EditedCommand {
  /** @type {string | undefined} undefined while nobody edits */
  text = undefined;
  /** @type {Judgement | undefined} */
  judged = undefined;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #pause;

  /**
   * @param {object} parts
   * @param {() => import("maia/frames").ToolPart} parts.call the one that was asked for
   * @param {(input: any) => Promise<Judgement>} parts.judge
   * @param {() => void} parts.onChange
   * @param {() => void} parts.onTyped it is another command now
   * @param {() => void} parts.onEnd
   */
  constructor({ call, judge, onChange, onTyped, onEnd }) {
    this.call = call;
    this.judge = judge;
    this.onChange = onChange;
    this.onTyped = onTyped;
    this.onEnd = onEnd;
  }

  /** The edited input, undefined where it is the one that was asked for. */
  get input() {
    const asked = inputOf(this.call());
    if (this.text === undefined || this.text === asked.command) return undefined;
    return { ...asked, command: this.text };
  }

  begin() {
    this.text = inputOf(this.call()).command;
    this.onChange();
  }

  end = () => {
    clearTimeout(this.#pause);
    this.text = undefined;
    this.judged = undefined;
    this.onTyped();
    this.onChange();
  };

  /** @param {InputEvent} event */
  #typed = (event) => {
    this.text = /** @type {HTMLTextAreaElement} */ (event.target).value;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#look(), JUDGE_AFTER);
    this.onTyped();
    this.onChange();
  };

  async #look() {
    const { input } = this;
    if (!input) this.judged = undefined;
    else {
      const judged = await this.judge(input).catch(unjudged);
      if (this.input?.command === input.command) this.judged = judged;
    }
    this.onChange();
  }

  /** @param {KeyboardEvent} event */
  #pressed = (event) => {
    if (event.key !== "Escape" || composes(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this.end();
    this.onEnd();
  };

  /** @param {string} id of the request */
  draw(id) {
    const text = this.text ?? "";
    const rows = Math.min(12, Math.max(2, text.split("\n").length));
    return html`<div class="perm-edit"><label class="sr"
      for="edit-${id}">${t("perm.edited")}</label><textarea class="textarea mono"
        dir="auto" id="edit-${id}"
        rows=${rows} maxlength="100000" spellcheck="false" autocomplete="off" .value=${live(text)}
        @input=${this.#typed} @keydown=${this.#pressed}></textarea>
      <div class="row wrap"><span
        class="tiny faint grow">${t("perm.asked", {
          command: commandOf(this.call()),
        })}</span><button
          class="btn quiet s" @click=${this.end}>${t("perm.unedit")}</button></div></div>`;
  }

  /** What the rules say about it. */
  drawVerdict() {
    if (this.text === undefined || !this.judged) return nothing;
    const { verdict, sentence } = this.judged;
    return html`<p class="perm-why" role="status"><span
      class="badge ${LOOKS[verdict] ?? ""}">${verdict.toUpperCase()}</span> ${visible(
        sentence,
      )}</p>`;
  }
}

/** @param {unknown} error @returns {Judgement} */
function unjudged(error) {
  return {
    verdict: "ask",
    sentence: error instanceof Error ? error.message : String(error),
    offers: [],
  };
}
