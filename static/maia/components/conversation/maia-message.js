/**
 * <maia-message>: one message with its parts, requests and ending.
 * Emits `maia-resume`, `maia-queued-edit`, `maia-queued-remove` {message}, `maia-copy` and
 * `maia-quote` {text}, `maia-send` {text}, `maia-open-file` {path}, and what its cards emit.
 */
import { html, nothing, repeat } from "lit";
import { DIVIDERS } from "maia/components/conversation/maia-divider";
import { drawCounters, drawEnding } from "maia/components/conversation/message_ending";
import { answerWords } from "maia/components/permissions/answer_words";
import { agentAvatar, icon, MaiaElement, personAvatar } from "maia/lib/dom";
import { hasWords, inWords, pieces, t, time } from "maia/lib/i18n";
import { isRightToLeft, shownPath } from "maia/lib/visible";
import "maia/components/conversation/maia-markdown";
import "maia/components/permissions/maia-permission-request";
import "maia/components/conversation/maia-plan";
import "maia/components/conversation/maia-thought";
import "maia/components/conversation/maia-tool-call";

/** @type {Record<string, string>} */
const LEVELS = {
  "compact-failed": "warn",
  notice: "warn",
  "no-recipient": "warn",
  "attachment-unavailable": "warn",
  "agent-unavailable": "fail",
};
export class MaiaMessage extends MaiaElement {
  static properties = {
    message: { attribute: false },
    requests: { attribute: false },
    calls: { attribute: false },
    keyed: { attribute: false },
    me: { attribute: false },
    owner: { attribute: false },
    answers: { attribute: false },
    waitsForMe: { attribute: false },
    viewer: { attribute: false },
    agents: { attribute: false },
    answering: { attribute: false },
  };

  constructor() {
    super();
    /** @type {import("maia/frames").Message} */
    this.message = /** @type {any} */ (undefined);
    /** @type {import("maia/frames").PermissionRequest[]} requests of this message */
    this.requests = [];
    /** @type {import("maia/lib/request_calls").RequestCalls} */
    this.calls = /** @type {any} */ (undefined);
    /** The id of the request that one-key answers act on. */
    this.keyed = "";
    /** @type {import("maia/frames").Person | undefined} */
    this.me = undefined;
    this.owner = false;
    /** Whether this person may answer what others' messages caused. */
    this.answers = false;
    /** How many requests wait for this person, everywhere. */
    this.waitsForMe = 0;
    this.viewer = false;
    /** @type {Set<string>} */
    this.agents = new Set();
    /** Whether an agent works on this message now. */
    this.answering = false;
  }

  /**
   * Requests are filtered anew at each draw of the timeline; equal lists change nothing.
   * @param {Map<PropertyKey, any>} changed
   */
  shouldUpdate(changed) {
    if (changed.size !== 1 || !changed.has("requests")) return true;
    const before = changed.get("requests") ?? [];
    return (
      before.length !== this.requests.length ||
      before.some((/** @type {any} */ each, /** @type {number} */ i) => each !== this.requests[i])
    );
  }

  render() {
    const { role } = this.message;
    if (role === "system") return this._system();
    return role === "user" ? this._user() : this._agent();
  }

  _system() {
    const { message } = this;
    if (DIVIDERS.has(message.code ?? ""))
      return html`<maia-divider .message=${message}></maia-divider>`;
    const level = LEVELS[message.code ?? ""] ?? "info";
    return html`<div class="sys"><span class="badge ${level}">${level.toUpperCase()}</span><span
      class="txt">${this._systemWords()}</span></div>`;
  }

  _systemWords() {
    const { code, agent, author, parts } = this.message;
    const text = parts.map((part) => ("text" in part ? part.text : "")).join("");
    const kept = code === "compact-failed" || code === "notice";
    if (kept && this.message.error) return inWords(this.message.error);
    if (!code || code === "notice") return text;
    const who = html`<b>${agent ?? ""}</b>`;
    const key = author && code === "agent-joined" ? "system.agent-joined-by" : `system.${code}`;
    if (!hasWords(key)) return text || code;
    const words = pieces(key, { agent: who, who: author?.name ?? "", n: this.agents.size });
    return text ? html`${words} <span class="faint" dir="auto">${text}</span>` : words;
  }

  _user() {
    const { message } = this;
    const mine = message.author?.id === this.me?.id;
    const author = message.author ?? { id: 0, name: t("someone") };
    const text = textOf(message);
    return html`<article
      class="msg user ${mine ? "mine" : ""} ${message.queued ? "queued" : ""}"
      aria-label=${`${author.name}, ${time(message.createdAt)}`}>
      ${personAvatar(author)}
      <div class="msg-head"><span class="msg-name" dir="auto">${author.name}</span>${this._time()}${
        message.queued ? html`<span class="badge">${t("queued")}</span>` : nothing
      }</div>
      <div class="msg-body"><div class="bubble"
        dir=${isRightToLeft(text) ? "rtl" : "ltr"}><maia-markdown .text=${text}
        .typed=${true} .agents=${this.agents} .files=${this._files()}></maia-markdown></div>
        ${this._attachments()}${this._command()}${
          message.queued && mine ? this._queuedTools() : nothing
        }${this._dropped(mine)}</div>
      ${message.queued ? nothing : this._tools(text)}</article>`;
  }

  /** The files that `@` joined. */
  _files() {
    return (this.message.attachments ?? []).flatMap((each) =>
      each.problem ? [] : [each.path, `${each.path}/`],
    );
  }

  _attachments() {
    const { attachments } = this.message;
    if (!attachments?.length) return nothing;
    return html`<div class="row wrap attachments">${attachments.map((each) =>
      each.problem
        ? html`<span class="attach bad">${icon("warn", "i-s")}<span><span
          class="mono">${shownPath(each.path)}</span> · ${inWords({
            message: each.problem,
            words: each.words,
          })}</span></span>`
        : html`<button class="attach"
          @click=${() => this.tell("maia-open-file", { path: each.path })}>${icon(
            "file",
            "i-s",
          )}<span class="mono">${shownPath(each.path)}</span></button>`,
    )}</div>`;
  }

  /** What a person ran with `!`, as the card of a call. */
  _command() {
    const groups = groupsOf(
      this.message.parts.filter((part) => part.type === "tool"),
      new Set(),
    );
    return groups.map((group) => this._group(group));
  }

  _queuedTools() {
    return html`<div class="row queued-tools"><button class="btn quiet s"
      @click=${() => this.tell("maia-queued-edit", { message: this.message })}>${icon(
        "pencil",
        "i-xs",
      )}${t("edit")}</button>
      <button class="btn quiet s"
        @click=${() => this.tell("maia-queued-remove", { message: this.message })}>${icon(
          "x",
          "i-xs",
        )}${t("remove")}</button></div>`;
  }

  /** A message that nobody will answer: Stop took it from the queue. @param {boolean} mine */
  _dropped(mine) {
    const { error } = this.message;
    if (!error) return nothing;
    const level = error.code === "cancelled" ? "info" : "fail";
    return html`<div class="sys ended"><span
      class="badge ${level}">${level.toUpperCase()}</span><span
        class="txt">${inWords(error) || t("end.dropped")}</span>
      ${
        mine && !this.viewer
          ? html`<button class="btn s"
            @click=${() => this.tell("maia-send", { text: textOf(this.message) })}>${t(
              "sendAgain",
            )}</button>`
          : nothing
      }</div>`;
  }

  _agent() {
    const { message } = this;
    const agent = message.agent ?? "";
    return html`<article class="msg agent" aria-label=${`${agent}, ${time(message.createdAt)}`}
      aria-busy=${this.answering ? "true" : nothing}>
      ${agentAvatar(agent, { state: this.answering ? "busy" : "" })}
      <div class="msg-head"><span class="msg-name" dir="auto">${agent}</span>${this._time()}</div>
      <div class="msg-body">${repeat(
        groupsOf(message.parts, this._waiting()),
        (group) => group.key,
        (group) => this._group(group),
      )}
        ${this._unplaced()}${drawEnding(
          message,
          this.viewer ? undefined : this._resume,
        )}${drawCounters(message)}</div>
      ${message.done ? this._tools(textOf(message)) : nothing}</article>`;
  }

  /** Returns the calls whose request waits: they are shown as the request itself. */
  _waiting() {
    return new Set(
      this.requests.filter((each) => each.state === "pending").map((each) => each.toolCall.id),
    );
  }

  /** @param {Group} group */
  _group(group) {
    if (group.tools) {
      return html`<div class="tools">${repeat(
        group.tools,
        (part) => part.id,
        (part) => html`<maia-tool-call .call=${part} .message=${this.message}
          .request=${this._requestOf(part.id)} .stoppable=${!this.viewer} .me=${this.me?.id ?? 0}
          .over=${this.message.done} .own=${this.message.role === "user"}></maia-tool-call>`,
      )}</div>`;
    }
    const { part, last } = group;
    switch (part?.type) {
      case "tool":
        return this._card(/** @type {any} */ (this._requestOf(part.id)));
      case "plan":
        return html`<maia-plan .entries=${part.entries}></maia-plan>`;
      case "thought":
        return html`<maia-thought .thought=${part}
          .streaming=${last && this._streams()}></maia-thought>`;
      case "text":
        return this._text(part, Boolean(last));
      default:
        return nothing;
    }
  }

  /** @param {import("maia/frames").TextPart} part @param {boolean} last */
  _text(part, last) {
    return html`<maia-markdown .text=${part.text} .done=${!(last && this._streams())}
      .agents=${this.agents}></maia-markdown>
      ${
        part.interrupted && !last
          ? html`<p class="small faint">${t("part.interrupted")}</p>`
          : nothing
      }`;
  }

  _streams() {
    return !this.message.done;
  }

  /** @param {string} id */
  _requestOf(id) {
    return this.requests.findLast((each) => each.toolCall.id === id);
  }

  /** @param {import("maia/frames").PermissionRequest} request */
  _card(request) {
    const mayAnswer =
      !this.viewer && (this.owner || this.answers || request.starter.id === this.me?.id);
    return html`<maia-permission-request .calls=${this.calls} .request=${request}
      .keyed=${request.id === this.keyed} .owner=${this.owner}
      .own=${request.starter.id === this.me?.id}
      .mayAnswer=${mayAnswer} .others=${this.waitsForMe - (mayAnswer ? 1 : 0)}
      .me=${this.me?.id ?? 0}></maia-permission-request>`;
  }

  /** Requests about calls that are not among the parts. */
  _unplaced() {
    const placed = new Set(this.message.parts.map((part) => (part.type === "tool" ? part.id : "")));
    const rest = this.requests.filter((each) => !placed.has(each.toolCall.id));
    return repeat(
      rest,
      (each) => each.id,
      (each) =>
        each.state === "pending"
          ? this._card(each)
          : html`<div class="perm-done"><span
            aria-hidden="true">◆</span> ${each.toolCall.title || each.toolCall.name}: ${answerWords(
              each,
              this.me?.id,
            )}</div>`,
    );
  }

  _resume = () => this.tell("maia-resume", { message: this.message });

  _time() {
    const { createdAt } = this.message;
    return html`<time class="msg-time" datetime=${createdAt}>${time(createdAt)}</time>`;
  }

  /** @param {string} text */
  _tools(text) {
    if (!text) return nothing;
    return html`<div class="msg-actions"><button class="icon-btn s" aria-label=${t("copy")}
      title=${t("copy")}
      @click=${() => this.tell("maia-copy", { text })}>${icon("copy", "i-s")}</button>
      ${
        this.viewer
          ? nothing
          : html`<button class="icon-btn s" aria-label=${t("quote")} title=${t("quote")}
            @click=${() => this.tell("maia-quote", { text })}>${icon("quote", "i-s")}</button>`
      }</div>`;
  }
}

/**
 * @typedef {{key: string, tools?: import("maia/frames").ToolPart[], part?:
 *   import("maia/frames").Part, last?: boolean}} Group
 */

/**
 * Groups consecutive tool calls into one frame; a call that waits for an answer stands alone.
 * @param {import("maia/frames").Part[]} parts
 * @param {Set<string>} waiting
 * @returns {Group[]}
 */
function groupsOf(parts, waiting) {
  /** @type {Group[]} */ const groups = [];
  parts.forEach((part, index) => {
    const last = index === parts.length - 1;
    const before = groups.at(-1)?.tools;
    if (part.type !== "tool") groups.push({ key: `p${index}`, part, last });
    else if (waiting.has(part.id)) groups.push({ key: `ask-${part.id}`, part });
    else if (before) before.push(part);
    else groups.push({ key: `t${part.id}`, tools: [part] });
  });
  return groups.filter(
    (group) => group.part?.type !== "text" || group.part.text.trim() || group.last,
  );
}

/** @param {import("maia/frames").Message} message */
function textOf(message) {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

customElements.define("maia-message", MaiaMessage);
