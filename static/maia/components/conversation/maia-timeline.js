/**
 * <maia-timeline>: the messages of a channel; its scrolling is timeline_end.js, its keys are
 * timeline_keys.js. Emits `maia-read` {position}, `maia-invite`, `maia-outbox-again` and
 * `maia-outbox-remove` {clientRef}, and what messages emit.
 */
import { html, nothing, repeat } from "lit";
import { TimelineEnd } from "maia/components/conversation/timeline_end";
import { TimelineKeys } from "maia/components/conversation/timeline_keys";
import { ghostMask, icon, MaiaElement, personAvatar } from "maia/lib/dom";
import { dayName, daysAgo } from "maia/lib/format";
import { t, time } from "maia/lib/i18n";
import { timelineItems } from "maia/lib/timeline_items";
import { isRightToLeft } from "maia/lib/visible";
import { MOST } from "maia/reducers/messages";
import { waiting } from "maia/reducers/permissions";
import "maia/components/conversation/maia-message";
import "maia/components/conversation/maia-reply";

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
    /** Whether loading takes long enough to show it. */
    this._slow = false;
    this._seen = 0;
    this._asked = 0;
    this._end = new TimelineEnd({
      scroller: () => this._scroller,
      onChange: () => this.requestUpdate(),
      onNearTop: () => this._older(),
    });
    this._keys = new TimelineKeys(() => this._scroller);
  }

  connectedCallback() {
    super.connectedCallback();
    this.classList.add("timeline-host");
    this._timer = setTimeout(() => {
      this._slow = true;
    }, LOADING_AFTER);
    document.addEventListener("visibilitychange", this._markRead);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this._timer);
    this._end.unwatch();
    document.removeEventListener("visibilitychange", this._markRead);
  }

  firstUpdated() {
    this._end.watch(/** @type {Element} */ (this.querySelector(".timeline-in")));
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
    const grew =
      first &&
      this.channel.messages[0]?.id !== first.id &&
      this.channel.messages.some((each) => each.id === first.id);
    if (grew) this._end.hold(this.querySelectorAll("[data-message]"));
  }

  /** @param {Map<PropertyKey, any>} changed */
  updated(changed) {
    if (changed.has("channel")) this._changed(changed.get("channel"));
    this._end.settle();
    if (this.channel?.more) this._end.fill();
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
    this._see();
  }

  /** Who is at the end has seen the last message. */
  _see() {
    if (this._end.pinned) this._seen = this.channel?.messages.at(-1)?.position ?? 0;
  }

  /** Goes to the end and follows it again. */
  pin() {
    this._end.pin();
  }

  _scrolled = () => {
    this._end.scrolled();
    this._see();
    this._markRead();
  };

  _older() {
    const first = this.channel?.messages[0];
    if (!this.channel?.more || !first || this._asked === first.position) return;
    this._asked = first.position;
    this.older().catch(() => {
      this._asked = 0;
    });
  }

  _markRead = () => {
    const last = this.channel?.messages.findLast((each) => !each.queued);
    if (!last || !this._end.pinned || document.hidden || !this.channel?.info.unread) return;
    if (this._told === `${this.channel.info.id} ${last.position}`) return;
    this._told = `${this.channel.info.id} ${last.position}`;
    this.tell("maia-read", { position: last.position });
  };

  render() {
    return html`<div class="timeline ${this._end.pinned ? "pinned" : ""}" id="timeline" tabindex="0"
      role="log" aria-live="off"
      aria-label=${t("conversation")} aria-busy=${this.channel ? nothing : "true"}
      @scroll=${this._scrolled} @wheel=${this._end.touched} @touchmove=${this._end.touched}
      @pointerdown=${this._end.touched}
      @focusin=${this._end.touched} @keydown=${this._pressed}>
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
    if (this.refused)
      return html`<div
        class="note fail refused">${icon("fail")}<div>${this.refused.message}</div></div>`;
    const { channel } = this;
    if (!channel) return this._slow ? skeleton() : nothing;
    const messages = this._end.pinned ? channel.messages.slice(-MOST) : channel.messages;
    const mine = this.outbox.filter((each) => each.channel === channel.info.id);
    const items = timelineItems(
      messages,
      channel.replies ?? [],
      mine.filter((each) => each.error),
    );
    if (!items.length && !mine.length && !channel.busy) return this._empty();
    return html`${
      channel.more ? html`<p class="older faint small">${t("older.loading")}</p>` : nothing
    }
      ${repeat(
        items,
        (item) => item.key,
        (item) => this._item(item),
      )}
      ${repeat(
        mine.filter((each) => !each.error),
        (each) => each.clientRef,
        (each) => this._unsent(each),
      )}`;
  }

  /** @param {import("maia/lib/timeline_items").Item} item */
  _item({ day, reply, unsent, message }) {
    if (day) return drawDay(day);
    if (unsent) return this._unsent(unsent);
    if (reply)
      return html`<maia-reply .reply=${reply}
        .viewer=${this.channel?.info.role === "viewer"}></maia-reply>`;
    return this._message(/** @type {any} */ (message));
  }

  /** @param {import("maia/frames").Message} message */
  _message(message) {
    const channel = /** @type {import("maia/reducers/channel").Channel} */ (this.channel);
    const requests = channel.permissions.filter((each) => each.messageId === message.id);
    return html`<maia-message data-message=${message.id} .message=${message} .calls=${this.calls}
      .requests=${requests.length ? requests : NONE}
      .keyed=${requests.length ? (waiting(channel.permissions)[0]?.id ?? "") : ""} .me=${this.me}
      .agents=${this.agents}
      .owner=${channel.info.role === "owner"} .answers=${channel.info.mayAnswer}
      .waitsForMe=${requests.length ? this.waitsForMe : 0} .viewer=${channel.info.role === "viewer"}
      .answering=${!message.done && channel.answering?.messageId === message.id}></maia-message>`;
  }

  /** @param {import("maia/outbox").Waiting} entry */
  _unsent({ clientRef, text, at, sending, held, error }) {
    const me = this.me ?? { id: 0, name: "" };
    return html`<article class="msg user mine queued"
      aria-label=${`${me.name}, ${time(at)}`}>${personAvatar(me)}
      <div class="msg-head"><span class="msg-name"
        dir="auto">${me.name}</span><time class="msg-time"
        datetime=${at}>${time(at)}</time>${
          error
            ? nothing
            : html`<span class="badge">${t(
                held ? "waiting.database" : sending ? "sending" : "waiting",
              )}</span>`
        }</div>
      <div class="msg-body"><div class="bubble"
        dir=${isRightToLeft(text) ? "rtl" : "ltr"}><maia-markdown .text=${text}
        .typed=${true} .agents=${this.agents}></maia-markdown></div>
        ${
          error
            ? html`<div class="sys ended"><span class="badge fail">FAIL</span><span
              class="txt">${withCode(error.message)}</span>
              <button class="btn s"
                @click=${() => this.tell("maia-outbox-again", { clientRef })}>${t(
                  "sendAgain",
                )}</button>
              <button class="btn quiet s"
                @click=${() =>
                  this.tell("maia-outbox-remove", { clientRef })}>${t("remove")}</button></div>`
            : nothing
        }</div></article>`;
  }

  _empty() {
    const channel = /** @type {import("maia/reducers/channel").Channel} */ (this.channel);
    const { direct, members, role } = channel.info;
    const invite = !direct && !members.length && role !== "viewer";
    return html`<div class="empty">${ghostMask()}<h2 class="empty-title">${t("empty.title")}</h2>
      <p>${
        direct ? t("empty.direct", { agent: direct }) : t(invite ? "empty.alone" : "empty.channel")
      }</p>
      ${
        invite
          ? html`<button class="btn"
            @click=${() => this.tell("maia-invite")}>${icon("plus", "i-s")}${t("invite")}</button>`
          : nothing
      }</div>`;
  }

  _pill() {
    if (this._end.pinned || !this.channel) return nothing;
    const asks = waiting(this.channel.permissions).length;
    const fresh = this.channel.messages.filter(
      (each) => each.position > this._seen && each.role !== "system",
    ).length;
    const words = asks
      ? html`<span class="badge ask">ASK</span>${t("pill.asks", { n: asks })}`
      : fresh
        ? t("pill.new", { n: fresh })
        : t("pill.end");
    return html`<button class="btn s to-latest"
      @click=${() => this.pin()}>${words} ${icon("down", "i-xs")}</button>`;
  }

  _pressed = (/** @type {KeyboardEvent} */ event) => {
    this._end.touched(event);
    this._keys.pressed(event);
  };
}

/** @param {string} at */
function drawDay(at) {
  const ago = daysAgo(at);
  const words =
    ago === 0 || ago === 1
      ? t(ago ? "day.yesterday" : "day.today", { day: dayName(at) })
      : dayName(at);
  return html`<div class="day"><span>${words}</span></div>`;
}

/** Draws what stands between backticks as code. @param {string} text */
function withCode(text) {
  return text
    .split(/`([^`]+)`/)
    .map((piece, index) => (index % 2 ? html`<code>${piece}</code>` : piece));
}

function skeleton() {
  return html`<div class="stack skeleton"><span class="skel h w3"></span><span
    class="skel w9"></span><span class="skel w7"></span><span
      class="skel w5"></span></div>`;
}

customElements.define("maia-timeline", MaiaTimeline);
