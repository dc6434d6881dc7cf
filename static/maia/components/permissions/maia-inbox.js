/**
 * <maia-inbox>: every request that waits for this person, in all workspaces, kept true by the
 * socket. Answers go over the socket too; the first one wins wherever it is given.
 */
import { html, nothing, repeat } from "lit";
import { answerWords } from "maia/components/permissions/answer_words";
import { api } from "maia/lib/api";
import { icon, MaiaElement } from "maia/lib/dom";
import { t, time } from "maia/lib/i18n";
import { requestCalls } from "maia/lib/request_calls";
import { isolated } from "maia/lib/visible";
import { pathOf, socketUrl } from "maia/page";
import { emptyState, reduce } from "maia/reducers/app";
import { Socket } from "maia/socket";
import "maia/components/permissions/maia-permission-request";

/** How long an answered request still stands there, in ms. */
const STAYS = 4_000;

export class MaiaInbox extends MaiaElement {
  static properties = {
    page: { attribute: false },
    _requests: { state: true },
    _channels: { state: true },
    _gone: { state: true },
    _error: { state: true },
  };

  constructor() {
    super();
    /**
     * @type {{user: import("maia/frames").Person, workspaces: {id: string, name: string, role:
     *   string}[]}}
     */
    this.page = /** @type {any} */ (undefined);
    /** @type {import("maia/frames").PermissionRequest[] | undefined} undefined until told */
    this._requests = undefined;
    /** @type {import("maia/frames").ChannelInfo[]} */
    this._channels = [];
    this._state = emptyState();
    /** @type {{id: string, words: string}[]} */
    this._gone = [];
    this._error = "";
    /** @type {Record<string, string>} the last answer of this page, by request */
    this._mine = {};
    const calls = requestCalls((command) => this._send(command));
    /** @type {import("maia/lib/request_calls").RequestCalls} */
    this._calls = { ...calls, answer: (fields) => this._answer(fields, calls) };
  }

  connectedCallback() {
    super.connectedCallback();
    this._socket = new Socket({
      url: socketUrl(),
      onFrames: this._received,
      onConnection: () => undefined,
    });
    this._socket.connect();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this._socket?.close();
  }

  /** @param {any[]} frames */
  _received = (frames) => {
    for (const frame of frames) {
      this._state = reduce(this._state, frame).state;
      if (this._concerns(frame)) this._look();
    }
    this._channels = this._state.channels ?? [];
  };

  /** Whether requests came or went. @param {any} frame */
  _concerns({ type, channel }) {
    if (type === "channels:changed") return true;
    const shown = (/** @type {string} */ id) =>
      this._requests?.some((each) => each.channel === id) ?? true;
    if (type === "channel:changed") return channel.waiting.length > 0 || shown(channel.id);
    return type === "channel:gone" && shown(channel);
  }

  async _look() {
    try {
      const found = /** @type {import("maia/frames").PermissionRequest[]} */ (
        await api.get("/api/permissions")
      );
      const left = new Set(found.map((each) => each.id));
      for (const old of this._requests ?? []) if (!left.has(old.id)) this._say(old);
      this._requests = found;
      this._error = "";
    } catch (error) {
      this._error = /** @type {any} */ (error).message;
    }
    document.title = `${this._requests?.length ? "❓ " : ""}${t("inbox")} · MAIA`;
  }

  /**
   * Says for a moment that a request is answered.
   * @param {import("maia/frames").PermissionRequest} request
   */
  _say(request) {
    const option = this._mine[request.id];
    const answer = { option, by: this.page.user, at: new Date().toISOString(), instruction: "" };
    const words = option
      ? answerWords(
          { ...request, state: "answered", answer: /** @type {any} */ (answer) },
          this.page.user.id,
        )
      : t("inbox.elsewhere");
    const entry = { id: request.id, words: `${request.agent}: ${words}` };
    this._gone = [...this._gone, entry];
    setTimeout(() => {
      this._gone = this._gone.filter((each) => each !== entry);
    }, STAYS);
  }

  /** @param {{type: string}} command */
  async _send(command) {
    return this._socket?.send(command);
  }

  /**
   * @param {import("maia/lib/request_calls").Answer} fields
   * @param {import("maia/lib/request_calls").RequestCalls} calls
   */
  _answer(fields, calls) {
    this._mine[fields.id] = fields.option;
    return calls.answer(fields);
  }

  render() {
    const requests = this._requests;
    return html`${
      this._error
        ? html`<div class="note fail" role="alert">${icon("fail")}<span>${this._error}</span></div>`
        : nothing
    }
      <div role="status">${this._gone.map(
        ({ words }) => html`<div class="perm-done"><span aria-hidden="true">◆</span>${words}</div>`,
      )}</div>
      ${
        requests
          ? repeat(
              requests,
              (each) => each.id,
              (each, index) => this._request(each, index),
            )
          : nothing
      }
      ${
        requests && !requests.length
          ? html`<div class="empty"><p>${t("inbox.none")}</p></div>`
          : nothing
      }`;
  }

  /** @param {import("maia/frames").PermissionRequest} request @param {number} index */
  _request(request, index) {
    const workspace = this.page.workspaces.find((each) => each.id === request.workspace);
    const channel = this._channels.find((each) => each.id === request.channel);
    const where = [workspace?.name, channel && (channel.direct || `#${channel.name}`)]
      .filter((each) => each !== undefined)
      .map((each) => isolated(each))
      .join(" · ");
    return html`<article aria-label=${where}><div class="inbox-where"><a
      href=${pathOf(request.workspace, request.channel)}>${where || t("open")}</a>
        <span class="faint"><bdi>${request.starter.name}</bdi> · ${time(
          request.createdAt,
        )}</span></div>
      <maia-permission-request .calls=${this._calls} .request=${request} .keyed=${index === 0}
        .mayAnswer=${true} .owner=${workspace?.role === "owner"}
        .own=${request.starter.id === this.page.user.id}
        .me=${this.page.user.id}></maia-permission-request></article>`;
  }
}

customElements.define("maia-inbox", MaiaInbox);
