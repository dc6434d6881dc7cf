/**
 * <maia-tool-call>: one tool call as a card that folds (guide §4).
 * Emits `maia-open-file` {path, line} and `maia-stop`.
 */
import { html, nothing } from "lit";
import { plusMinus } from "maia/components/files/maia-diff";
import { answerWords } from "maia/components/permissions/answer_words";
import { ansiRuns } from "maia/lib/ansi";
import { changeOf } from "maia/lib/diffs";
import { chevron, icon, MaiaElement, squares } from "maia/lib/dom";
import { duration, lastLines, secondsBetween } from "maia/lib/format";
import { t } from "maia/lib/i18n";
import {
  beginning,
  commandOf,
  endedBadly,
  exitCodeOf,
  iconOf,
  limitOf,
  linesRead,
  pathOf,
  targetOf,
} from "maia/lib/tools";
import { shownPath } from "maia/lib/visible";
import { wholeCall } from "maia/lib/whole_call";

const PREVIEW = 600;
const LIVE_LINES = 12;
const MOST_OPEN_LINES = 40;
const FOLD_AFTER = 800;
const OUTPUT_EVERY = 100;

export class MaiaToolCall extends MaiaElement {
  static properties = {
    call: { attribute: false },
    message: { attribute: false },
    request: { attribute: false },
    stoppable: { attribute: false },
    me: { attribute: false },
    over: { attribute: false },
    own: { attribute: false },
    _chosen: { state: true },
    _all: { state: true },
    _late: { state: true },
    _read: { state: true },
    _unread: { state: true },
  };

  constructor() {
    super();
    /** @type {import("maia/frames").ToolPart} */
    this.call = /** @type {any} */ (undefined);
    /** @type {{channel: string, id: string} | undefined} the message it belongs to */
    this.message = undefined;
    /**
     * @type {import("maia/frames").PermissionRequest | undefined} what was asked about this call
     */
    this.request = undefined;
    this.stoppable = false;
    /** The id of who looks. */
    this.me = 0;
    /** The answer is over: a call that did not end never will. */
    this.over = false;
    /** A person ran it with `!`, to see what it says: it stays open, with all that was kept. */
    this.own = false;
    /** @type {boolean | undefined} what the reader chose: stays (guide §6.5) */
    this._chosen = undefined;
    this._all = false;
    /** @type {import("maia/frames").ToolPart | undefined} all of a call that came shortened */
    this._read = undefined;
    /** @type {number | undefined} the revision of the call that is being read */
    this._reading = undefined;
    /** Why the rest could not be read. */
    this._unread = "";
    /** Stays open for a moment after its end. */
    this._late = false;
    this._ran = false;
    this._drawnAt = 0;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this._clock);
    clearTimeout(this._timer);
    clearTimeout(this._later);
  }

  /** All of the call, as far as it is known. */
  get whole() {
    return this._read?.rev === this.call.rev ? this._read : this.call;
  }

  /** Reads what a shortened call leaves out. */
  async _readAll() {
    const { call, message } = this;
    if (!message || this._reading === call.rev) return;
    this._reading = call.rev;
    this._unread = "";
    try {
      this._read = {
        ...(await wholeCall({ channel: message.channel, messageId: message.id, call: call.id })),
        rev: call.rev,
      };
    } catch (error) {
      this._unread = error instanceof Error ? error.message : String(error);
    }
    this._reading = undefined;
  }

  get running() {
    return this.call.status === "in_progress" && !this.over;
  }

  /**
   * Output is drawn again at most every 100 ms (guide §6.6).
   * @param {Map<PropertyKey, any>} changed
   */
  shouldUpdate(changed) {
    const before = changed.get("call");
    const onlyOutput =
      changed.size === 1 && before && this.running && before.status === this.call.status;
    const pause = this._drawnAt + OUTPUT_EVERY - performance.now();
    if (!onlyOutput || pause <= 0) return true;
    clearTimeout(this._later);
    this._later = setTimeout(() => this.requestUpdate(), pause);
    return false;
  }

  willUpdate() {
    this._drawnAt = performance.now();
    if (this.running && !this._clock) this._clock = setInterval(() => this.requestUpdate(), 1_000);
    if (!this.running) {
      clearInterval(this._clock);
      this._clock = undefined;
    }
    if (this._ran && !this.running && this.call.kind === "execute") this._foldLater();
    this._ran = this.running;
  }

  updated() {
    const output = this.running && this.querySelector(".term");
    if (output) output.scrollTop = output.scrollHeight;
  }

  _foldLater() {
    this._late = true;
    this._timer = setTimeout(() => {
      this._late = false;
    }, FOLD_AFTER);
  }

  render() {
    const { call } = this;
    const open = this._chosen ?? this._opensItself();
    if (open && this._lacks() && !this._unread) this._readAll();
    return html`<details class="tool" .open=${open} @toggle=${this._toggled}>
      <summary><span class="kind ${call.kind}">${icon(iconOf(call))}</span><span
        class="tool-verb">${call.name}</span><span
          class="tool-target ellipsis grow"
          title=${targetOf(call)}>${shownPath(targetOf(call))}</span
          >${this._meta()}${this._status()}${chevron()}</summary>
      ${
        open
          ? html`<div class="tool-body">${this._truncated()}${this._body()}${this._foot()}</div>`
          : nothing
      }</details>${this._answered(open)}`;
  }

  /** Whether what an open card shows is still to be read: the beginning of an output is there. */
  _lacks() {
    const { whole } = this;
    if (!whole.cut || this.running) return false;
    return this._all || (!whole.diffs.length && Boolean(whole.cut.added || whole.cut.removed));
  }

  _opensItself() {
    const { call } = this;
    if (call.status === "failed") return call.diffs.length + call.output.length > 0;
    if (call.kind === "execute")
      return this.own || (this.running && Boolean(call.output)) || this._late || endedBadly(call);
    if (this.over && call.status === "pending") return false;
    const { added, removed } = changeOf(call);
    return added + removed > 0 && added + removed <= MOST_OPEN_LINES;
  }

  /** @param {Event} event */
  _toggled = (event) => {
    const { open } = /** @type {HTMLDetailsElement} */ (event.currentTarget);
    if (open !== (this._chosen ?? this._opensItself())) this._chosen = open;
  };

  /** Opens or folds the card for the reader (key E). @param {boolean} open */
  toggle(open) {
    this._chosen = open;
  }

  _meta() {
    const cut = this.call.truncated
      ? html`<span class="badge warn" title=${t("tool.truncatedWhy")}>${t("tool.truncated")}</span>`
      : nothing;
    return html`${cut}${this._about()}`;
  }

  _truncated() {
    return this.call.truncated
      ? html`<div class="tool-label">${t("tool.truncatedWhy")}</div>`
      : nothing;
  }

  _about() {
    const { call } = this;
    if (call.diffs.length) {
      return html`${
        call.diffs.some((diff) => diff.newFile)
          ? html`<span class="badge">${t("tool.newFile")}</span>`
          : nothing
      }${plusMinus(changeOf(call))}`;
    }
    if (call.cut && (call.cut.added || call.cut.removed)) return plusMinus(call.cut);
    const words = this._result();
    const edited = call.original
      ? html`<span class="badge info">${t("perm.wasEdited")}</span>`
      : nothing;
    if (call.original)
      return html`${edited}${words ? html`<span class="tool-meta num">${words}</span>` : nothing}`;
    return words ? html`<span class="tool-meta num">${words}</span>` : nothing;
  }

  _result() {
    const { call } = this;
    if (call.kind === "read" && call.status === "completed" && call.output) {
      return t("tool.lines", {
        n: call.cut?.lines || linesRead(call.output),
      });
    }
    if (!call.startedAt || call.status === "pending") return "";
    const seconds = secondsBetween(call.startedAt, call.endedAt);
    if (this.running) return seconds < 1 ? "" : duration(Math.floor(seconds));
    return call.endedAt && seconds >= 0.05 ? duration(seconds) : "";
  }

  _status() {
    const { status } = this.call;
    if (this.over && (status === "pending" || status === "in_progress")) {
      return html`<span class="tool-meta">${t("tool.stopped")}</span><span
        class="tool-status pending">${icon("x", "i-s")}</span>`;
    }
    const code = status === "in_progress" ? 0 : exitCodeOf(this.call);
    if (code) {
      const words = code < 0 ? t("tool.signal", { code: -code }) : t("tool.exit", { code });
      return html`<span class="badge warn num">${words}</span><span
        class="tool-status ended-badly">${icon("warn", "i-s")}</span>`;
    }
    const word = html`<span class="sr">${t(`tool.${status}`)}</span>`;
    if (status === "in_progress")
      return html`<span class="tool-status">${squares("xs")}</span>${word}`;
    const names = { pending: "clock", completed: "check", failed: "x" };
    return html`<span
      class="tool-status ${status}">${icon(names[status] ?? "clock", "i-s")}</span>${word}`;
  }

  _body() {
    const call = this.whole;
    if (call.kind === "execute") return this._terminal();
    if (this._lacks())
      return this._unread
        ? this._failed()
        : html`<div class="tool-io" aria-busy="true">${t("tool.reading")}</div>`;
    return html`${call.diffs.map((diff) => html`<maia-diff .diff=${diff}></maia-diff>`)}
      ${call.diffs.length && call.status !== "failed" ? nothing : this._texts()}`;
  }

  _failed() {
    return html`<div class="tool-io">${this._unread} <button class="btn quiet s"
      @click=${() => this._readAll()}>${t("again")}</button></div>`;
  }

  _terminal() {
    const call = this.whole;
    const command = commandOf(call);
    const long = command.includes("\n") || command.length > 70;
    const output = this.running ? lastLines(call.output, LIVE_LINES) : this._preview(call.output);
    return html`<div class="term" tabindex="0" role="region"
      aria-label=${this.running ? t("tool.live") : t("tool.output")}
    >${
      call.original
        ? html`<span
          class="d">${t("perm.asked", {
            command: commandOf({ ...call, input: call.original }),
          })}</span>${"\n"}`
        : nothing
    }${
      long ? html`<span class="g">$ </span><span class="w">${command}</span>${"\n"}` : nothing
    }${ansiRuns(output).map(({ text, look }) =>
      look ? html`<span class=${look}>${text}</span>` : text,
    )}${
      this.running
        ? html`<span class="cursor"></span>`
        : output || long
          ? nothing
          : html`<span class="d">${t("tool.noOutput")}</span>`
    }</div>`;
  }

  _texts() {
    const call = this.whole;
    const plain = call.input && call.input !== "{}" && call.kind === "other";
    return html`${
      plain
        ? html`<div class="tool-label">${t("tool.input")}</div><div class="tool-io"
          tabindex="0">${readable(call.input)}</div>`
        : nothing
    }
      ${
        call.output
          ? html`${
              plain ? html`<div class="tool-label">${t("tool.output")}</div>` : nothing
            }<div class="tool-io" tabindex="0">${this._preview(call.output)}</div>`
          : plain
            ? nothing
            : html`<div class="tool-io">${t("tool.noOutput")}</div>`
      }`;
  }

  /** @param {string} output */
  _preview(output) {
    return this._all || this.own ? output : beginning(output, PREVIEW);
  }

  _foot() {
    const call = this.whole;
    if (this.running && call.kind === "execute") return this._liveFoot();
    // What did not end well may have made no file.
    const path = call.status === "completed" ? pathOf(call) : "";
    const cut =
      !this._all &&
      !this.own &&
      call.output.length > PREVIEW &&
      (!call.diffs.length || call.status === "failed");
    if (!cut && !path) return nothing;
    const about = cut
      ? t("tool.shown", { shown: PREVIEW, total: call.cut?.output ?? call.output.length })
      : this._answer();
    return html`<div class="tool-foot">${
      about && !cut ? html`<span aria-hidden="true">◆</span>` : nothing
    }<span class="grow">${about}</span>
      ${
        cut
          ? html`<button class="btn quiet s" @click=${() => {
              this._all = true;
              this._chosen = true;
            }}>${t("showAll")}</button>`
          : nothing
      }
      ${
        path && call.kind !== "delete"
          ? html`<button class="btn quiet s" @click=${() => this._open(path)}>${t("open")}<span
            class="sr"> ${path}</span></button>`
          : nothing
      }</div>`;
  }

  _liveFoot() {
    return html`<div class="tool-foot"><span class="pulse" aria-hidden="true"></span><span
      class="grow">${t("tool.limit", { time: duration(limitOf(this.call)) })}</span>${
        this.stoppable
          ? html`<button class="btn quiet s danger"
            @click=${() => this.tell("maia-stop")}>${icon("stop", "i-xs")}${t("stop")}</button>`
          : nothing
      }</div>`;
  }

  _answer() {
    return this.request ? answerWords(this.request, this.me) : "";
  }

  /** The line under the card that says what was answered, by whom, when. @param {boolean} open */
  _answered(open) {
    const words = this._answer();
    const inFoot =
      open && this.call.status === "completed" && pathOf(this.call) && this.call.diffs.length;
    return words && !inFoot
      ? html`<div class="tool-foot perm-answer"><span aria-hidden="true">◆</span><span
        class="grow">${words}</span></div>`
      : nothing;
  }

  /** @param {string} path */
  _open(path) {
    const { locations } = this.call;
    this.tell("maia-open-file", { path, line: locations?.[0]?.line ?? null });
  }
}

/** @param {string} json */
function readable(json) {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

customElements.define("maia-tool-call", MaiaToolCall);
