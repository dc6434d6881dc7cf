/**
 * <maia-context-bar>: how full an agent's context is; one square is 10,000 tokens or more. A click
 * opens with what.
 */
import { html, nothing } from "lit";
import { MaiaElement, squares } from "maia/lib/dom";
import { contextBar, tokens } from "maia/lib/format";
import { t } from "maia/lib/i18n";

const PARTS = ["system", "tools", "skills", "history", "pending"];

export class MaiaContextBar extends MaiaElement {
  static properties = {
    usage: { attribute: false },
    agent: { attribute: false },
    read: { attribute: false },
    _parts: { state: true },
    _error: { state: true },
  };

  constructor() {
    super();
    /** @type {import("maia/frames").Usage | undefined} */
    this.usage = undefined;
    this.agent = "";
    /** @type {(agent: string) => Promise<Record<string, any>>} asks the server what it counts */
    this.read = async () => ({});
    /** @type {Record<string, any> | undefined} what the server counted */
    this._parts = undefined;
    this._error = "";
  }

  render() {
    if (!this.usage) return nothing;
    const { used, size } = this.usage;
    const bar = contextBar(used, size);
    if (!bar && !used) return nothing;
    const label = bar ? bar.label : t("context.unknown", { used: tokens(used) });
    return html`<button class="ctx ${bar?.level ?? ""}" type="button" popovertarget="context-parts"
      aria-label=${t("context.label", { label })} title=${t("context.open")}>${
        bar ? drawSquares(bar) : nothing
      }<span
        class="ctx-label">${label}</span>${
          bar?.scale ? html`<span class="ctx-scale">${bar.scale}</span>` : nothing
        }</button>
      <div class="menu context-parts" id="context-parts" popover
        @beforetoggle=${this._toggled}>${this._inside()}</div>`;
  }

  /** @param {ToggleEvent} event */
  _toggled = async (event) => {
    if (event.newState !== "open") return;
    this._parts = undefined;
    this._error = "";
    try {
      this._parts = await this.read(this.agent);
    } catch (error) {
      this._error = /** @type {Error} */ (error).message;
    }
  };

  _inside() {
    const parts = this._parts;
    if (this._error) return html`<p class="error-text" role="alert">${this._error}</p>`;
    if (!parts)
      return html`<p class="row">${squares("xs")}<span>${t("context.counting")}</span></p>`;
    return html`<div class="menu-title">${t("context.title", { agent: parts.agent })}</div>
      <dl>${PARTS.map(
        (name) =>
          html`<div><dt>${t(`context.${name}`)}</dt><dd
            class="num mono">${tokens(parts[name])}</dd></div>`,
      )}
      <div class="context-sum"><dt>${t("context.used")}</dt><dd
        class="num mono">${tokens(parts.used)}</dd></div>
      <div><dt>${t("context.size")}</dt><dd class="num mono">${
        parts.size ? tokens(parts.size) : t("context.none")
      }</dd></div></dl>
      <p class="faint small">${parts.model}${
        parts.session ? html`<br>${parts.session}` : nothing
      }</p>`;
  }
}

/** @param {{total: number, on: number}} bar */
function drawSquares({ total, on }) {
  return html`<span class="ctx-squares" aria-hidden="true">${Array.from(
    { length: total },
    (_, i) => html`<i class=${i < on ? "on" : nothing}></i>`,
  )}</span>`;
}

customElements.define("maia-context-bar", MaiaContextBar);
