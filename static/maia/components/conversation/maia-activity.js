/** <maia-activity>: who answers, on what it waits, for how long. Emits `maia-stop`. */
import { html, nothing } from "lit";
import { MaiaElement, squares } from "maia/lib/dom";
import { duration, secondsBetween } from "maia/lib/format";
import { pieces, t } from "maia/lib/i18n";

/** Below this nobody asks how long. */
const TELL_TIME_AFTER = 3;

export class MaiaActivity extends MaiaElement {
  static properties = {
    answering: { attribute: false },
    busy: { attribute: false },
    queued: { attribute: false },
    notice: { attribute: false },
    stopping: { attribute: false },
    viewer: { attribute: false },
    mine: { attribute: false },
    online: { attribute: false },
  };

  constructor() {
    super();
    /** @type {ReturnType<typeof import("maia/lib/conversation").answeringNow>} */
    this.answering = undefined;
    this.busy = false;
    this.queued = 0;
    /** @type {{code: string, message: string} | undefined} */
    this.notice = undefined;
    this.stopping = false;
    this.viewer = false;
    /** Whether this person may answer what it waits for. */
    this.mine = false;
    this.online = true;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this._clock);
    this._clock = undefined;
  }

  willUpdate() {
    if (this.busy && !this._clock) this._clock = setInterval(() => this.requestUpdate(), 1_000);
    if (!this.busy) {
      clearInterval(this._clock);
      this._clock = undefined;
    }
  }

  render() {
    return html`<div class="activity">${this.busy ? this._busy() : nothing}</div>`;
  }

  _busy() {
    return html`${this.online ? squares() : nothing}<span
      class="ellipsis grow">${this._words()}</span>${
        this.viewer
          ? nothing
          : html`<button class="btn quiet s" aria-busy=${this.stopping ? "true" : nothing}
            @click=${() => this.tell("maia-stop")}>${
              this.stopping
                ? html`${squares("xs")} ${t("stopping")}`
                : html`${t("stop")} <kbd>Esc</kbd>`
            }</button>`
      }`;
  }

  /** @param {NonNullable<MaiaActivity["answering"]>} answering */
  _key({ waitsFor, tools }) {
    if (waitsFor === "tool" && tools) return "activity.tools";
    return waitsFor === "permission" && this.mine ? "activity.yours" : `activity.${waitsFor}`;
  }

  /** A person's own command. @param {import("maia/frames").Answering} answering */
  _runs({ command = "", starter }) {
    return pieces("activity.command", {
      who: html`<b dir="auto">${starter?.name ?? t("someone")}</b>`,
      command: html`<code>${command}</code>`,
    });
  }

  _words() {
    const { answering, notice, queued } = this;
    const agent = html`<b>${answering?.agent ?? ""}</b>`;
    const main = notice
      ? notice.message
      : answering?.command
        ? this._runs(answering)
        : answering
          ? pieces(this._key(answering), { agent })
          : t("activity.starting");
    const seconds =
      answering && answering.waitsFor !== "permission" ? secondsBetween(answering.startedAt) : 0;
    const time = seconds >= TELL_TIME_AFTER ? duration(Math.floor(seconds)) : "";
    const waits = queued ? t("activity.queued", { n: queued }) : "";
    const tools = answering?.tools ? t("activity.done", answering.tools) : "";
    const more = [tools, time, waits].filter(Boolean).join(" · ");
    return html`${main}${more ? html` <span class="faint num">· ${more}</span>` : nothing}`;
  }
}

customElements.define("maia-activity", MaiaActivity);
