/**
 * <maia-terminal>: one shell on screen, joined to the server by a `TerminalLink`.
 *
 * Properties: `terminal` {id, name}, `shown`, `narrow`, `screenReader`. Emits `maia-terminal-state`
 * {id, state, code}, `maia-terminal-closed` {id}, `maia-terminal-leave`, `maia-terminal-size`.
 */
import { html, nothing } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { composes } from "maia/lib/keys";
import { arrowBytes, KEY_ROW, keyOwner, withCtrl } from "maia/panel/terminal_keys";
import { TerminalLink, terminalUrl } from "maia/panel/terminal_link";
import { pasted } from "maia/panel/terminal_paste";
import { answerOnlyIf, makeScreen, openScreen, useWebgl } from "maia/panel/terminal_screen";

const encoder = new TextEncoder();
/** Full reset (RIS). */
const RESET = "\x1bc";
/** How long a refusal that changes nothing is shown. */
const REFUSAL_MS = 8_000;

export class MaiaTerminal extends MaiaElement {
  static properties = {
    terminal: { attribute: false },
    shown: { type: Boolean },
    narrow: { type: Boolean },
    screenReader: { type: Boolean },
    _state: { state: true },
    _code: { state: true },
    _error: { state: true },
    _finding: { state: true },
    _ctrl: { state: true },
  };

  /** @type {any} */ #screen = null;
  /** @type {{dispose(): void} | null} */ #webgl = null;
  /** @type {TerminalLink | null} */ #link = null;
  /** @type {ResizeObserver | null} */ #observer = null;
  #starting = false;
  /** The focus was asked for before there was a screen. */
  #focusWanted = false;
  /** Of all tabs that show this terminal one answers what programs ask: the server says which. */
  #answers = false;
  /** @type {any} */ #forget = null;

  constructor() {
    super();
    /** @type {{id: string, name: string} | null} */
    this.terminal = null;
    this.shown = false;
    this.narrow = false;
    this.screenReader = false;
    /** @type {import("maia/panel/terminal_link").LinkState} */
    this._state = "connecting";
    /** @type {number | null} */
    this._code = null;
    this._error = "";
    this._finding = false;
    this._ctrl = false;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#stop();
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (this.shown && !this.#screen) this.#start();
    if (!this.#screen) return;
    if (changed.has("shown")) this.#showOrHide();
    if (changed.has("screenReader")) this.#screen.term.options.screenReaderMode = this.screenReader;
  }

  /** Puts the focus into the shell. */
  focusView() {
    if (this.#screen) this.#screen.term.focus();
    else this.#focusWanted = true;
  }

  /** Opens or closes the search in what the terminal printed. */
  async find() {
    this._finding = !this._finding;
    await this.updateComplete;
    if (this._finding) this.querySelector("input")?.focus();
    else this.#endFind();
  }

  async #start() {
    if (this.#starting) return;
    this.#starting = true;
    const screen = await makeScreen({
      screenReader: this.screenReader,
      fontSize: this.narrow ? 13 : 12,
    });
    if (!this.isConnected) return;
    this.#screen = screen;
    openScreen(screen.term, /** @type {HTMLElement} */ (this.querySelector(".term-screen")));
    screen.term.attachCustomKeyEventHandler((/** @type {KeyboardEvent} */ event) =>
      this.#key(event),
    );
    answerOnlyIf(screen.term, () => this.#answers);
    screen.term.textarea.addEventListener("focus", () => this.#link?.focus());
    screen.term.onData((/** @type {string} */ data) => this.#typed(data));
    screen.term.onBinary((/** @type {string} */ data) =>
      this.#link?.send(Uint8Array.from(data, (c) => c.charCodeAt(0))),
    );
    screen.term.onResize((/** @type {{cols: number, rows: number}} */ size) => this.#resized(size));
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(/** @type {HTMLElement} */ (this.querySelector(".term-screen")));
    this.#connect();
    this.#showOrHide();
    if (this.#focusWanted) screen.term.focus();
  }

  #connect() {
    const { term } = this.#screen;
    this.#link = new TerminalLink(terminalUrl(/** @type {{id: string}} */ (this.terminal).id), {
      bytes: (bytes, done) => term.write(bytes, done),
      // Written, not called: what is still in xterm's own queue must come before it. What a replay
      // asks was answered, or not, when it was said.
      replay: () => this.#turnAnswers(false, RESET),
      answers: (yes) => this.#turnAnswers(yes),
      state: (state) => this.#linkState(state),
      exit: (code) => this.#exited(code),
      error: (error) => this.#refused(error.message || error.code),
    });
    this.#fit();
    this.#link.connect();
  }

  /** @param {boolean} yes @param {string} [bytes] */
  #turnAnswers(yes, bytes = "") {
    this.#screen.term.write(bytes, () => {
      this.#answers = yes;
    });
  }

  /** @param {string} message */
  #refused(message) {
    this._error = message;
    clearTimeout(this.#forget);
    this.#forget = setTimeout(() => {
      if (this._state === "open") this._error = "";
    }, REFUSAL_MS);
  }

  #stop() {
    clearTimeout(this.#forget);
    this.#link?.close();
    this.#observer?.disconnect();
    this.#webgl?.dispose();
    this.#screen?.term.dispose();
    this.#link = this.#observer = this.#webgl = this.#screen = null;
    this.#starting = false;
  }

  /** WebGL contexts are few (16 a page): only the terminal on screen holds one. */
  async #showOrHide() {
    if (!this.shown) {
      this.#webgl?.dispose();
      this.#webgl = null;
      return;
    }
    this.#fit();
    if (this.#webgl || this.screenReader) return;
    const webgl = await useWebgl(this.#screen.term, this.#screen.loadWebgl);
    if (this.shown && this.isConnected) this.#webgl = webgl;
    else webgl?.dispose();
  }

  #fit() {
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".term-screen"));
    if (this.#screen && host?.clientWidth && host.clientHeight) this.#screen.fit.fit();
  }

  /** @param {{cols: number, rows: number}} size */
  #resized(size) {
    this.#link?.resize(size.cols, size.rows);
    this.#emit("maia-terminal-size", size);
  }

  /** @param {string} data */
  #typed(data) {
    if (this._state === "exited") {
      if (data === "\r") this.#emit("maia-terminal-closed");
      return;
    }
    this.#link?.send(encoder.encode(this._ctrl ? withCtrl(data) : data));
    this._ctrl = false;
  }

  /** @param {import("maia/panel/terminal_link").LinkState} state */
  #linkState(state) {
    this._state = state;
    if (state === "open") {
      this._error = "";
      const { cols, rows } = this.#screen.term;
      this.#resized({ cols, rows });
    }
    this.#emit("maia-terminal-state", { state, code: this._code });
  }

  /** @param {number | null} code */
  #exited(code) {
    this._code = code;
    this.#screen.term.options.cursorBlink = false;
    this.#emit("maia-terminal-state", { state: "exited", code });
  }

  /** Returns whether xterm may handle the key. @param {KeyboardEvent} event */
  #key(event) {
    const owner = keyOwner(event);
    if (owner === "shell") return true;
    if (event.type !== "keydown" || owner === "app" || owner === "paste") return false;
    event.preventDefault();
    event.stopPropagation();
    if (owner === "leave") this.#emit("maia-terminal-leave");
    if (owner === "find") this.find();
    if (owner === "copy") this.#copy();
    return false;
  }

  /** Keys of the shell never reach the app's own shortcuts. @param {KeyboardEvent} event */
  #keepKeys = (event) => {
    if (keyOwner(event) === "shell") event.stopPropagation();
  };

  /** Pastes text that cannot press keys: xterm types whatever the clipboard holds. */
  #paste = (/** @type {ClipboardEvent} */ event) => {
    event.preventDefault();
    event.stopPropagation();
    const { text, cleaned } = pasted(event.clipboardData?.getData("text/plain") ?? "");
    if (text) this.#screen?.term.paste(text);
    if (cleaned) this.#refused(t("panel.terminal.cleaned"));
  };

  /** Before xterm hears of it. */
  #capturedPaste = { handleEvent: this.#paste, capture: true };

  #copy() {
    const text = this.#screen.term.getSelection();
    if (!text) return;
    if (navigator.clipboard)
      navigator.clipboard.writeText(text).catch(() => document.execCommand("copy"));
    // Without a secure context there is no clipboard object; xterm answers the copy event itself.
    else document.execCommand("copy");
  }

  render() {
    return html`${this._finding ? this.#finder() : nothing}
      <div class="term-screen" role="group"
        aria-label=${t("panel.terminal.screen", { name: this.terminal?.name ?? "" })}
        data-keys="shell" @keydown=${this.#keepKeys} @keyup=${this.#keepKeys}
        @paste=${this.#capturedPaste}></div>
      ${this.#notice()}${this.narrow ? this.#keyRow() : nothing}`;
  }

  #notice() {
    if (this._state === "exited") {
      const code = this._code ?? "?";
      return html`<div class="term-notice"
        role="status"><span>${t("panel.terminal.exit", { code })}</span><button class="btn s"
          @click=${() => this.#emit("maia-terminal-closed")}>${t(
            "panel.terminal.closeNow",
          )}</button></div>`;
    }
    if (this._state === "lost") {
      return html`<div class="term-notice"
        role="status"><span>${this._error || t("panel.terminal.lost")}</span><button class="btn s"
          @click=${() => this.#link?.connect()}>${t("panel.retry")}</button><button class="btn s"
            @click=${() => this.#emit("maia-terminal-closed")}>${t("panel.close")}</button></div>`;
    }
    return this._error
      ? html`<div class="term-notice" role="status">${this._error}</div>`
      : nothing;
  }

  #finder() {
    return html`<form class="term-find" role="search" @submit=${this.#findNext}
      @keydown=${this.#findKey}>
      <input class="input" dir="auto" aria-label=${t("panel.terminal.find")}
        placeholder=${t("panel.terminal.find")} @input=${this.#findNext}>
      <button class="icon-btn s" type="button" aria-label=${t("panel.terminal.findPrevious")}
        @click=${() => this.#search("findPrevious")}>${icon("up", "i-s")}</button>
      <button class="icon-btn s"
        aria-label=${t("panel.terminal.findNext")}>${icon("down", "i-s")}</button>
      <button class="icon-btn s" type="button" aria-label=${t("panel.close")}
        @click=${() => this.find()}>${icon("x", "i-s")}</button>
    </form>`;
  }

  #findNext = (/** @type {Event} */ event) => {
    event.preventDefault();
    this.#search("findNext", event.type === "input");
  };

  /** @param {"findNext" | "findPrevious"} way @param {boolean} [incremental] */
  #search(way, incremental = false) {
    const text = /** @type {HTMLInputElement} */ (this.querySelector(".term-find input")).value;
    if (text) this.#screen.search[way](text, { incremental });
    else this.#screen.search.clearDecorations();
  }

  #findKey = (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    if (event.key === "Escape" && !composes(event)) this.find();
  };

  #endFind() {
    this.#screen?.search.clearDecorations();
    this.focusView();
  }

  #keyRow() {
    return html`<div class="key-row" role="toolbar"
      aria-label=${t("panel.terminal.keys")}>${KEY_ROW.map(
        (key) => html`<button
          class="btn s" aria-label=${t(`panel.terminal.key.${key.id}`)}
          aria-pressed=${key.id === "ctrl" ? this._ctrl : nothing}
          @pointerdown=${(/** @type {Event} */ event) => event.preventDefault()}
          @click=${() => this.#rowKey(key)}>${key.label}</button>`,
      )}</div>`;
  }

  /** @param {typeof KEY_ROW[number]} key */
  #rowKey(key) {
    if (key.id === "ctrl") this._ctrl = !this._ctrl;
    else this.#typed(arrowBytes(key.bytes, this.#screen.term.modes.applicationCursorKeysMode));
    this.focusView();
  }

  /** @param {string} name @param {object} [detail] */
  #emit(name, detail = {}) {
    this.tell(name, { id: this.terminal?.id, ...detail });
  }
}

customElements.define("maia-terminal", MaiaTerminal);
