/**
 * <maia-palette>: jump to anything, run any command. Emits `maia-run` {entry} when one is chosen.
 */
import { html, nothing } from "lit";
import { fit } from "maia/lib/completion";
import { agentAvatar, icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { composes } from "maia/lib/keys";

const MOST = 12;
/** Files are looked for from so many letters on, when nobody typed for so many milliseconds. */
const FROM = 2;
const PAUSE = 80;

/**
 * @typedef {{group: string, words: string, about?: string, sign?: string, agent?: string, badge?:
 *   string, keys?: string, run: () => void}} Entry
 */

export class MaiaPalette extends MaiaElement {
  static properties = {
    entries: { attribute: false },
    look: { attribute: false },
    _files: { state: true },
    _query: { state: true },
    _chosen: { state: true },
  };

  constructor() {
    super();
    /** @type {Entry[]} in the order to show them when nothing is typed */
    this.entries = [];
    /**
     * @type {((query: string, signal: AbortSignal) => Promise<Entry[]>) | undefined} finds what the
     *   server knows
     */
    this.look = undefined;
    /** @type {Entry[]} what it found */
    this._files = [];
    this._query = "";
    this._chosen = 0;
    /** @type {AbortController | undefined} */
    this._looking = undefined;
  }

  /** @returns {HTMLDialogElement} */
  get _dialog() {
    return /** @type {HTMLDialogElement} */ (this.querySelector("dialog"));
  }

  /** Opens it over the page. */
  async show() {
    if (this._dialog.open) return;
    this._query = "";
    this._chosen = 0;
    this._files = [];
    await this.updateComplete;
    this._dialog.showModal();
    this.querySelector("input")?.focus();
  }

  _found() {
    return this.entries
      .map((entry) => ({ entry, score: fit(this._query, entry.words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => (this._query ? b.score - a.score : 0))
      .slice(0, this._query ? MOST : MOST * 4)
      .map(({ entry }) => entry)
      .concat(this._query ? this._files : []);
  }

  render() {
    const found = this._found();
    let group = "";
    return html`<dialog class="palette" aria-label=${t("jump.to")} @click=${this._clicked}
      @keydown=${this._pressed}>
      <input class="input" type="text" dir="auto" .value=${this._query}
        placeholder=${t("palette.placeholder")}
        aria-label=${t("search")} role="combobox" aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant=${found.length ? `palette-${this._chosen}` : nothing}
        autocomplete="off" spellcheck="false"
        @input=${this._typed}>
      <div class="palette-list" role="listbox" id="palette-list" aria-label=${t("results")}>
        ${found.map((entry, index) => {
          const head =
            !this._query && entry.group !== group
              ? html`<div class="menu-title" role="presentation">${entry.group}</div>`
              : nothing;
          group = entry.group;
          return html`${head}${this._option(entry, index)}`;
        })}
        ${
          found.length
            ? nothing
            : html`<p class="side-empty" role="presentation">${t("palette.none")}</p>`
        }
      </div>
      <div
        class="menu-foot"><span><kbd>↑</kbd><kbd>↓</kbd> ${t(
          "menu.move",
        )}</span><span><kbd>Enter</kbd> ${t("menu.open")}</span><span><kbd>Esc</kbd> ${t(
          "menu.close",
        )}</span></div></dialog>`;
  }

  /** @param {Entry} entry @param {number} index */
  _option(entry, index) {
    return html`<button class="option" role="option" id="palette-${index}" tabindex="-1"
      aria-selected=${String(index === this._chosen)} @click=${() => this._run(entry)}>
      ${
        entry.agent ? agentAvatar(entry.agent, { size: "s" }) : icon(entry.sign ?? "arrow-right")
      }<span class="grow ellipsis" dir="auto">${entry.words}</span>${
        entry.badge ? html`<span class="badge ask">${entry.badge}</span>` : nothing
      }${entry.about ? html`<span class="option-desc" dir="auto">${entry.about}</span>` : nothing}${
        entry.keys ? html`<kbd>${entry.keys}</kbd>` : nothing
      }</button>`;
  }

  /** @param {InputEvent} event */
  _typed = (event) => {
    this._query = /** @type {HTMLInputElement} */ (event.target).value;
    this._chosen = 0;
    this._findFiles();
  };

  /** Files come after what is known here; an answer that comes late is not shown. */
  async _findFiles() {
    clearTimeout(this._timer);
    this._looking?.abort();
    const { look, _query: query } = this;
    if (!look || query.length < FROM) return void (this._files = []);
    const { signal } = (this._looking = new AbortController());
    this._timer = setTimeout(async () => {
      const found = await look(query, signal).catch(() => []);
      if (!signal.aborted) this._files = found;
    }, PAUSE);
  }

  /** @param {MouseEvent} event */
  _clicked = (event) => {
    if (event.target === this._dialog) this._dialog.close();
  };

  /** @param {KeyboardEvent} event */
  _pressed = (event) => {
    const found = this._found();
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step && found.length) this._move((this._chosen + step + found.length) % found.length);
    else if (event.key === "Enter" && !composes(event) && found[this._chosen])
      this._run(found[this._chosen]);
    else return;
    event.preventDefault();
  };

  /** @param {number} index */
  async _move(index) {
    this._chosen = index;
    await this.updateComplete;
    this.querySelector(`#palette-${index}`)?.scrollIntoView({ block: "nearest" });
  }

  /** @param {Entry} entry */
  _run(entry) {
    this._dialog.close();
    this.tell("maia-run", { entry });
    entry.run();
  }
}

customElements.define("maia-palette", MaiaPalette);
