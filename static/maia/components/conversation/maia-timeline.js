/**
 * <maia-timeline>: the messages of a channel. It follows the end only while the reader is there
 * (guide §6). Emits `maia-read` {position}, `maia-invite`, `maia-outbox-again` and
 * `maia-outbox-remove` {clientRef}, and what messages emit.
 */
import { html, nothing, repeat } from "lit";
import { MaiaElement, ghostMask, icon, personAvatar } from "maia/lib/dom";
import { dayKey, dayName, daysAgo } from "maia/lib/format";
import { t, time } from "maia/lib/i18n";
import { MOST } from "maia/reducers/messages";
import { waiting } from "maia/reducers/permissions";
import { drawUserText } from "maia/components/conversation/maia-message";
import "maia/components/conversation/maia-reply";

const NEAR_END = 48;
const NEAR_TOP = 600;
const LOADING_AFTER = 150;
/** @type {import("maia/frames").PermissionRequest[]} */
const NONE = [];

export class MaiaTimeline extends MaiaElement {
  static properties = {
    channel: { attribute: false },
    outbox: { attribute: false },
    me: { attribute: false },
    agents: { attribute: false },
    refused: { attribute: false },
    waitsForMe: { attribute: false },
    calls: { attribute: false },
    older: { attribute: false },
    _pinned: { state: true },
    _slow: { state: true },
  };

  constructor() {
    super();
    /** @type {import("maia/reducers/channel").Channel | undefined} */
    this.channel = undefined;
    /** @type {import("maia/outbox").Waiting[]} */
    this.outbox = [];
    /** @type {import("maia/frames").Person | undefined} */
    this.me = undefined;
    /** @type {Set<string>} */
    this.agents = new Set();
    /** @type {{code: string, message: string} | undefined} */
    this.refused = undefined;
    /** How many requests wait for this person, everywhere. */
    this.waitsForMe = 0;
    /** @type {import("maia/lib/request_calls").RequestCalls} */
    this.calls = /** @type {any} */ (undefined);
    /** @type {() => Promise<void>} loads the messages before the first one */
    this.older = async () => undefined;
    this._pinned = true;
    /** Whether loading takes long enough to show it. */
    this._slow = false;
    this._top = 0;
    this._height = 0;
    /** Whether the person moved the timeline since it was last put to its end. */
    this._moved = false;
    this._seen = 0;
    this._asked = 0;
    this._resize = new ResizeObserver(() => this._follow());
  }

  connectedCallback() {
    super.connectedCallback();
    this.classList.add("timeline-host");
    this._timer = setTimeout(() => { this._slow = true; }, LOADING_AFTER);
    document.addEventListener("visibilitychange", this._markRead);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this._timer);
    this._resize.disconnect();
    document.removeEventListener("visibilitychange", this._markRead);
  }

  firstUpdated() {
    this._resize.observe(/** @type {Element} */ (this.querySelector(".timeline-in")));
    this._resize.observe(this._scroller);
  }

  /** @returns {HTMLElement} */
  get _scroller() {
    return /** @type {HTMLElement} */ (this.querySelector(".timeline"));
  }

  /** @param {Map<PropertyKey, any>} changed */
  willUpdate(changed) {
    const before = changed.get("channel");
    if (!before || !this.channel || before.info.id !== this.channel.info.id) return;
    const first = before.messages[0];
    const grew = first && this.channel.messages[0]?.id !== first.id
      && this.channel.messages.some((each) => each.id === first.id);
    if (grew) this._anchor = this._firstVisible();
  }

  /** @param {Map<PropertyKey, any>} changed */
  updated(changed) {
    if (changed.has("channel")) this._changed(changed.get("channel"));
    if (this._anchor) this._restore();
    this._markRead();
  }

  /** @param {import("maia/reducers/channel").Channel | undefined} before */
  _changed(before) {
    const { channel } = this;
    if (channel && before?.info.id !== channel.info.id) {
      this._asked = 0;
      this._seen = 0;
      this.pin();
    }
    if (this._pinned) this._seen = channel?.messages.at(-1)?.position ?? 0;
  }

  /** Goes to the end and follows it again. */
  pin() {
    this._pinned = true;
    this._moved = false;
    this._follow();
    requestAnimationFrame(() => this._follow());
  }

  _follow() {
    const scroller = this._scroller;
    if (!scroller || !this._pinned) return;
    scroller.scrollTop = scroller.scrollHeight;
    this._remember();
  }

  _remember() {
    const { scrollTop, scrollHeight } = this._scroller;
    this._top = scrollTop;
    this._height = scrollHeight;
  }

  /** What moves a timeline by hand; a page that is drawn again moves it too, which means nothing. */
  _touched = (/** @type {Event} */ event) => {
    this._moved = !(event instanceof WheelEvent && event.deltaY > 0);
  };

  _scrolled = () => {
    const scroller = this._scroller;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const up = scrollTop < this._top - 1;
    const meant = this._moved || scrollHeight === this._height;
    this._remember();
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) this._pinned = true;
    else if (up && this._pinned) this._leaveEnd(meant);
    if (this._pinned) this._seen = this.channel?.messages.at(-1)?.position ?? 0;
    if (scrollTop < NEAR_TOP && up) this._older();
    this._markRead();
  };

  /** What was drawn meanwhile cut the timeline short for a moment: only who meant to go up leaves its end. @param {boolean} meant */
  _leaveEnd(meant) {
    if (meant) this._pinned = false;
    else this._follow();
    this._moved = false;
  }

  _older() {
    const first = this.channel?.messages[0];
    if (!this.channel?.more || !first || this._asked === first.position) return;
    this._asked = first.position;
    this.older().catch(() => { this._asked = 0; });
  }

  _firstVisible() {
    const { top } = this._scroller.getBoundingClientRect();
    for (const element of this.querySelectorAll("[data-message]")) {
      const box = element.getBoundingClientRect();
      if (box.bottom > top) return { element, top: box.top };
    }
    return undefined;
  }

  _restore() {
    const { element, top } = /** @type {{element: Element, top: number}} */ (this._anchor);
    this._anchor = undefined;
    const settle = () => {
      if (this._pinned) return;
      this._scroller.scrollTop += element.getBoundingClientRect().top - top;
      this._remember();
    };
    settle();
    requestAnimationFrame(settle);
  }

  _markRead = () => {
    const last = this.channel?.messages.findLast((each) => !each.queued);
    if (!last || !this._pinned || document.hidden || !this.channel?.info.unread) return;
    if (this._told === `${this.channel.info.id} ${last.position}`) return;
    this._told = `${this.channel.info.id} ${last.position}`;
    this.tell("maia-read", { position: last.position });
  };

  render() {
    return html`<div class="timeline ${this._pinned ? "pinned" : ""}" id="timeline" tabindex="0" role="log" aria-live="off"
        aria-label=${t("conversation")} aria-busy=${this.channel ? nothing : "true"} @scroll=${this._scrolled} @wheel=${this._touched} @touchmove=${this._touched} @pointerdown=${this._touched}
        @focusin=${this._touched} @keydown=${this._pressed}>
      <div class="timeline-in">${this._inside()}</div></div>
      ${this._pill()}`;
  }

  /** Goes to the oldest request that this person may answer; returns whether there is one. */
  focusRequest() {
    const card = this.querySelector(".perm:has(.perm-actions kbd)");
    if (!(card instanceof HTMLElement)) return false;
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: "nearest" });
    return true;
  }

  _inside() {
    if (this.refused) return html`<div class="note fail refused">${icon("fail")}<div>${this.refused.message}</div></div>`;
    const { channel } = this;
    if (!channel) return this._slow ? skeleton() : nothing;
    const messages = this._pinned ? channel.messages.slice(-MOST) : channel.messages;
    const mine = this.outbox.filter((each) => each.channel === channel.info.id);
    const refused = mine.filter((each) => each.error).map((each) => ({ key: each.clientRef, after: each.after ?? Infinity, unsent: each }));
    const replies = [...(channel.replies ?? []), ...refused].sort((a, b) => (a.after > b.after ? 1 : a.after < b.after ? -1 : 0));
    if (!messages.length && !mine.length && !replies.length && !channel.busy) return this._empty();
    return html`${channel.more ? html`<p class="older faint small">${t("older.loading")}</p>` : nothing}
      ${repeat(withReplies(withDays(messages), replies), (item) => item.key, (item) => this._item(item))}
      ${repeat(mine.filter((each) => !each.error), (each) => each.clientRef, (each) => this._unsent(each))}`;
  }

  /** @param {Item} item */
  _item({ day, reply, unsent, message }) {
    if (day) return drawDay(day);
    if (unsent) return this._unsent(unsent);
    if (reply) return html`<maia-reply .reply=${reply} .viewer=${this.channel?.info.role === "viewer"}></maia-reply>`;
    return this._message(/** @type {any} */ (message));
  }

  /** @param {import("maia/frames").Message} message */
  _message(message) {
    const channel = /** @type {import("maia/reducers/channel").Channel} */ (this.channel);
    const requests = channel.permissions.filter((each) => each.messageId === message.id);
    return html`<maia-message data-message=${message.id} .message=${message} .calls=${this.calls} .requests=${requests.length ? requests : NONE}
      .keyed=${requests.length ? (waiting(channel.permissions)[0]?.id ?? "") : ""} .me=${this.me} .agents=${this.agents}
      .owner=${channel.info.role === "owner"} .answers=${channel.info.mayAnswer} .waitsForMe=${requests.length ? this.waitsForMe : 0} .viewer=${channel.info.role === "viewer"}
      .answering=${!message.done && channel.answering?.messageId === message.id}></maia-message>`;
  }

  /** @param {import("maia/outbox").Waiting} entry */
  _unsent({ clientRef, text, at, sending, held, error }) {
    const me = this.me ?? { id: 0, name: "" };
    return html`<article class="msg user mine queued" aria-label=${`${me.name}, ${time(at)}`}>${personAvatar(me)}
      <div class="msg-head"><span class="msg-name">${me.name}</span><time class="msg-time" datetime=${at}>${time(at)}</time>${error ? nothing
        : html`<span class="badge">${t(held ? "waiting.database" : sending ? "sending" : "waiting")}</span>`}</div>
      <div class="msg-body"><div class="bubble">${drawUserText(text, this.agents, () => undefined)}</div>
      ${error ? html`<div class="sys ended"><span class="badge fail">FAIL</span><span class="txt">${withCode(error.message)}</span>
        <button class="btn s" @click=${() => this.tell("maia-outbox-again", { clientRef })}>${t("sendAgain")}</button>
        <button class="btn quiet s" @click=${() => this.tell("maia-outbox-remove", { clientRef })}>${t("remove")}</button></div>` : nothing}</div></article>`;
  }

  _empty() {
    const channel = /** @type {import("maia/reducers/channel").Channel} */ (this.channel);
    const { direct, members, role } = channel.info;
    const invite = !direct && !members.length && role !== "viewer";
    return html`<div class="empty">${ghostMask()}<h2 class="empty-title">${t("empty.title")}</h2>
      <p>${direct ? t("empty.direct", { agent: direct }) : t(invite ? "empty.alone" : "empty.channel")}</p>
      ${invite ? html`<button class="btn" @click=${() => this.tell("maia-invite")}>${icon("plus", "i-s")}${t("invite")}</button>` : nothing}</div>`;
  }

  _pill() {
    if (this._pinned || !this.channel) return nothing;
    const asks = waiting(this.channel.permissions).length;
    const fresh = this.channel.messages.filter((each) => each.position > this._seen && each.role !== "system").length;
    const words = asks ? html`<span class="badge ask">ASK</span>${t("pill.asks", { n: asks })}` : fresh ? t("pill.new", { n: fresh }) : t("pill.end");
    return html`<button class="btn s to-latest" @click=${() => this.pin()}>${words} ${icon("down", "i-xs")}</button>`;
  }

  /** J and K go through the messages, E folds and unfolds the cards of one, "." leads to what can be done with it. @param {KeyboardEvent} event */
  _pressed = (event) => {
    this._touched(event);
    if (event.ctrlKey || event.metaKey || event.altKey || !this._onMessages(event)) return;
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") this._step(key === "j" ? 1 : -1);
    else if (key === "e") this._fold();
    else if (key === ".") /** @type {HTMLElement | null | undefined} */ (this._current()?.querySelector(".msg-actions button"))?.focus();
    else return;
    event.preventDefault();
  };

  /** Whether the focus is on the timeline or on a whole message, not on something inside one. @param {Event} event */
  _onMessages({ target }) {
    return target === this._scroller || (target instanceof HTMLElement && (target.parentElement?.hasAttribute("data-message") || target.closest(".msg-actions") !== null));
  }

  _rows() {
    return [...this.querySelectorAll("[data-message]")];
  }

  /** @param {number} by */
  _step(by) {
    const all = this._rows();
    const now = this._current();
    const at = now ? all.indexOf(now) : all.length;
    const next = all[Math.min(all.length - 1, Math.max(0, at + (this._chosen() ? by : Math.min(0, by))))];
    const row = /** @type {HTMLElement | null | undefined} */ (next?.firstElementChild);
    if (!next || !row) return;
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }

  /** The message that has the focus. */
  _chosen() {
    return document.activeElement?.closest("[data-message]") ?? undefined;
  }

  /** The message that has the focus, else the first one in view. */
  _current() {
    const { top } = this._scroller.getBoundingClientRect();
    return this._chosen() ?? this._rows().find((each) => each.getBoundingClientRect().bottom - top > 24);
  }

  _fold() {
    const cards = [...(this._current()?.querySelectorAll("maia-tool-call") ?? [])];
    const open = !cards.some((card) => card.querySelector("details[open]"));
    for (const card of cards) /** @type {any} */ (card).toggle(open);
  }
}

/** @typedef {{key: string, day?: string, message?: import("maia/frames").Message, reply?: import("maia/frames").Reply, unsent?: import("maia/outbox").Waiting}} Item */
/** @typedef {Item & {after: number}} Placed an item that stands behind the message of that position */

/**
 * Puts each reply and each refused message behind the messages it came after.
 * @param {Item[]} items @param {Placed[]} replies in their order
 * @returns {Item[]}
 */
function withReplies(items, replies) {
  if (!replies.length) return items;
  const waiting = [...replies];
  /** @type {Item[]} */ const all = [];
  for (const item of items) {
    const position = item.message?.position ?? 0;
    while (item.message && waiting.length && waiting[0].after < position) all.push(/** @type {any} */ (waiting.shift()));
    all.push(item);
  }
  return [...all, ...waiting];
}

/** @param {import("maia/frames").Message[]} messages @returns {Item[]} */
function withDays(messages) {
  /** @type {Item[]} */ const items = [];
  let day = "";
  for (const message of messages) {
    const key = dayKey(message.createdAt);
    if (key !== day) items.push({ key: `day ${key}`, day: message.createdAt });
    day = key;
    items.push({ key: message.id, message });
  }
  return items;
}

/** @param {string} at */
function drawDay(at) {
  const ago = daysAgo(at);
  const words = ago === 0 || ago === 1 ? t(ago ? "day.yesterday" : "day.today", { day: dayName(at) }) : dayName(at);
  return html`<div class="day"><span>${words}</span></div>`;
}

/** Draws what stands between backticks as code. @param {string} text */
function withCode(text) {
  return text.split(/`([^`]+)`/).map((piece, index) => (index % 2 ? html`<code>${piece}</code>` : piece));
}

function skeleton() {
  return html`<div class="stack skeleton"><span class="skel h w3"></span><span class="skel w9"></span><span class="skel w7"></span><span
    class="skel w5"></span></div>`;
}

customElements.define("maia-timeline", MaiaTimeline);
