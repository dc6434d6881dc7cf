/**
 * <maia-proposal>: another command that somebody proposes instead of the one a request is about.
 * Only the person in whose home it would run accepts it.
 */
import { html, nothing } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { sentenceOf } from "maia/lib/errors";
import { t, time } from "maia/lib/i18n";
import { commandOf } from "maia/lib/tools";

export class MaiaProposal extends MaiaElement {
  static properties = {
    request: { attribute: false },
    calls: { attribute: false },
    own: { attribute: false },
    me: { attribute: false },
    _sending: { state: true },
    _error: { state: true },
  };

  constructor() {
    super();
    /** @type {import("maia/frames").PermissionRequest} */
    this.request = /** @type {any} */ (undefined);
    /** @type {import("maia/lib/request_calls").RequestCalls} */
    this.calls = /** @type {any} */ (undefined);
    /** Whether the reader started the turn, and may decide. */
    this.own = false;
    /** Who reads it. */
    this.me = 0;
    this._sending = "";
    this._error = "";
  }

  /** @param {Map<string, any>} changed */
  willUpdate(changed) {
    const before = changed.get("request");
    if (before && before.proposal?.id !== this.request.proposal?.id)
      this._sending = this._error = "";
  }

  render() {
    const { proposal, starter, toolCall } = this.request;
    if (!proposal) return nothing;
    const mine = proposal.by.id === this.me;
    const words = mine
      ? t("perm.proposedByYou", { who: starter.name })
      : t("perm.proposes", { who: proposal.by.name, time: time(proposal.at) });
    return html`<div class="perm-proposal" role="group" aria-label=${words}>
      <p class="perm-why" role="status">${words}</p>
      <pre class="perm-cmd" tabindex="0"><span
        class="pr">$ </span>${commandOf({ ...toolCall, input: proposal.input })}</pre>
      ${
        this._error
          ? html`<p class="error-text perm-error"
            role="alert">${icon("fail", "i-s")}${this._error}</p>`
          : nothing
      }
      ${
        this.own
          ? html`<div
            class="perm-actions">${this._button(
              "accept",
              "primary",
              t("perm.accept"),
            )}${this._button("decline", "", t("perm.decline"))}</div>`
          : mine
            ? html`<div
              class="perm-actions">${this._button("decline", "quiet", t("perm.takeBack"))}</div>`
            : html`<p class="perm-why">${t("perm.proposalWaits", { who: starter.name })}</p>`
      }
    </div>`;
  }

  /** @param {"accept" | "decline"} action @param {string} look @param {string} words */
  _button(action, look, words) {
    return html`<button class="btn ${look}" ?disabled=${Boolean(this._sending)}
      data-proposal=${action} @click=${() => this._send(action)}>${words}</button>`;
  }

  /** @param {"accept" | "decline"} action */
  async _send(action) {
    const { id, digest, proposal } = this.request;
    if (!proposal || this._sending) return;
    this._sending = action;
    this._error = "";
    try {
      if (action === "decline") await this.calls.decline({ id, proposal: proposal.id });
      else await this.calls.answer({ id, digest, option: "allow_once", proposal: proposal.id });
    } catch (error) {
      this._error = sentenceOf(error);
    }
    this._sending = "";
  }
}

customElements.define("maia-proposal", MaiaProposal);
