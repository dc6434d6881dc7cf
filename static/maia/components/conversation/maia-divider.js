/** <maia-divider>: where an agent's memory changed: compacted, cleared, another session. */
import { html, nothing } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { tokens } from "maia/lib/format";
import { t } from "maia/lib/i18n";
import "maia/components/conversation/maia-markdown";

/** System messages that this element draws. */
export const DIVIDERS = new Set(["compacted", "session-cleared", "session-loaded", "session-new"]);

export class MaiaDivider extends MaiaElement {
  static properties = { message: { attribute: false } };

  constructor() {
    super();
    /** @type {import("maia/frames").Message} */
    this.message = /** @type {any} */ (undefined);
  }

  render() {
    const { code, agent = "", author, note, parts } = this.message;
    const words = t(`divider.${code}`, {
      agent,
      who: author?.name ?? t("someone"),
      session: note?.session ?? "",
    });
    return html`<div class="divider" role="separator" aria-label=${words}><span
      class="divider-words"
      >${icon("history", "i-s")}<span>${words}</span>${this._numbers()}</span></div>
      ${this._more(parts.map((part) => ("text" in part ? part.text : "")).join(""))}`;
  }

  _numbers() {
    const { code, note } = this.message;
    if (code !== "compacted" || !note) return nothing;
    return html`<span class="num mono">${tokens(note.before)} → ${tokens(note.after)}</span>`;
  }

  /** @param {string} summary */
  _more(summary) {
    const { note } = this.message;
    if (!summary)
      return note?.previous
        ? html`<p
          class="divider-more small faint">${t("divider.saved", { name: note.previous })}</p>`
        : nothing;
    return html`<details
      class="divider-more reply-details"><summary>${t("divider.summary")}</summary><maia-markdown
        .text=${summary} .done=${true}></maia-markdown>
      ${
        note
          ? html`<p
            class="small faint">${t("divider.names", {
              before: note.previous,
              after: note.session,
            })}</p>`
          : nothing
      }</details>`;
  }
}

customElements.define("maia-divider", MaiaDivider);
