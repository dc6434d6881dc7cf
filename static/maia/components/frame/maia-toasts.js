/** <maia-toasts>: short words in the corner that go by themselves. */
import { html, nothing, repeat } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";

const SHOWN_FOR = 8_000;

/**
 * @typedef {{level: "ok" | "fail" | "info", words: string, about?: string, action?: string, run?:
 *   () => void}} Toast
 */

export class MaiaToasts extends MaiaElement {
  static properties = { _toasts: { state: true } };

  constructor() {
    super();
    /** @type {(Toast & {key: number})[]} */
    this._toasts = [];
    this._next = 0;
  }

  /** Shows a toast for 8 s. @param {Toast} toast */
  show(toast) {
    const key = this._next++;
    this._toasts = [...this._toasts.slice(-3), { ...toast, key }];
    setTimeout(() => this._drop(key), SHOWN_FOR);
  }

  /** @param {number} key */
  _drop(key) {
    this._toasts = this._toasts.filter((each) => each.key !== key);
  }

  render() {
    const signs = { ok: "check", fail: "fail", info: "info" };
    return html`<div class="toasts" role="status">${repeat(
      this._toasts,
      (each) => each.key,
      (each) => html`<div class="toast ${each.level}">${icon(signs[each.level])}<div
        class="grow"><b>${each.words}</b>${
          each.about ? html`<br><span class="small muted">${each.about}</span>` : nothing
        }</div>${
          each.action
            ? html`<button class="btn s" @click=${() => {
                this._drop(each.key);
                each.run?.();
              }}>${each.action}</button>`
            : nothing
        }
        <button class="icon-btn s" aria-label=${t("close")}
          @click=${() => this._drop(each.key)}>${icon("x", "i-s")}</button></div>`,
    )}</div>`;
  }
}

customElements.define("maia-toasts", MaiaToasts);
