/**
 * <maia-reply>: what the server answered to a slash command, for this person alone, until the page
 * is loaded again. Emits `maia-command` {text} for what is chosen in it, `maia-confirm` {question}.
 */
import { html, nothing, repeat } from "lit";
import { icon, MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { fold, isolated } from "maia/lib/visible";
import "maia/components/conversation/maia-markdown";

/** More choices than this can be searched. */
const SEARCH_FROM = 8;
const NONE = new Set();

export class MaiaReply extends MaiaElement {
  static properties = {
    reply: { attribute: false },
    viewer: { attribute: false },
    _search: { state: true },
    _chosen: { state: true },
  };

  constructor() {
    super();
    /** @type {import("maia/frames").Reply} */
    this.reply = /** @type {any} */ (undefined);
    this.viewer = false;
    this._search = "";
    /** @type {Set<string>} what is ticked in a list of several */
    this._chosen = NONE;
  }

  render() {
    const { line, level, blocks } = this.reply;
    if (!blocks.length) return nothing;
    return html`<section class="sys reply" aria-label=${t("reply", { line })}><span
      class="badge ${level}">${level.toUpperCase()}</span>
      <div class="txt reply-body">${
        line
          ? html`<p class="reply-line mono faint">${icon("prompt", "i-xs")}<span
            class="ellipsis" dir="auto">${line}</span><span
              class="small">${t("reply.alone")}</span></p>`
          : nothing
      }
        ${blocks.map((block) => this._block(block))}</div></section>`;
  }

  /** @param {import("maia/frames").Reply["blocks"][number]} block */
  _block(block) {
    switch (block.type) {
      case "markdown":
        return this._markdown(block);
      case "details":
        return html`<details class="reply-details"><summary>${block.title}</summary><maia-markdown
          .text=${block.text} .done=${true}></maia-markdown></details>`;
      case "rules":
        return this._rules(block);
      case "choices":
        return this._choices(block);
      default:
        return nothing;
    }
  }

  /** @param {import("maia/frames").MarkdownBlock} block */
  _markdown({ text, level }) {
    const words = html`<maia-markdown .text=${text} .done=${true}></maia-markdown>`;
    return level
      ? html`<div class="reply-row"><span
        class="badge ${level}">${level.toUpperCase()}</span>${words}</div>`
      : words;
  }

  /** @param {import("maia/frames").RulesBlock} block */
  _rules({ title, rules }) {
    const level = /** @type {Record<string, string>} */ ({ allow: "ok", ask: "ask", deny: "fail" });
    return html`<div class="reply-rules"><b>${title}</b><ul>${rules.map(
      ({ family, rule }) =>
        html`<li><span
          class="badge ${level[family]}">${family.toUpperCase()}</span><code>${rule}</code></li>`,
    )}</ul></div>`;
  }

  /** @param {import("maia/frames").ChoicesBlock} block */
  _choices(block) {
    const wanted = fold(this._search.trim());
    const shown = block.choices.filter(({ value }) => fold(value).includes(wanted));
    return html`<fieldset class="reply-choices"
      ?disabled=${this.viewer}><legend>${block.title}</legend>
      ${
        block.choices.length > SEARCH_FROM
          ? html`<div class="input-group">${icon("search")}<input class="input"
            type="search" dir="auto" autocomplete="off" placeholder=${t("reply.search")}
            aria-label=${t("reply.search")}
            .value=${this._search} @input=${(/** @type {InputEvent} */ event) => {
              this._search = /** @type {HTMLInputElement} */ (event.target).value;
            }}></div>`
          : nothing
      }
      <div class="reply-list">${repeat(
        shown,
        (each) => each.value,
        (each) => (block.many ? this._tick(each) : this._pick(block, each)),
      )}</div>
      ${shown.length ? nothing : html`<p class="faint">${t("reply.none")}</p>`}
      ${
        block.many
          ? html`<div class="row"><button class="btn danger s" type="button"
            ?disabled=${!this._chosen.size}
            @click=${() => this._sendMany(block)}>${icon("trash", "i-s")}${block.action} ${
              this._chosen.size || ""
            }</button></div>`
          : nothing
      }</fieldset>`;
  }

  /**
   * @param {import("maia/frames").ChoicesBlock} block
   * @param {import("maia/frames").Choice} choice
   */
  _pick({ command }, { value, words, current, disabled }) {
    return html`<button class="option" type="button" ?disabled=${disabled}
      aria-current=${current ? "true" : nothing}
      @click=${() => this.tell("maia-command", { text: `/${command} ${value}` })}>
      <span aria-hidden="true">${current ? "●" : "○"}</span><span
        class="mono ellipsis grow" dir="auto">${value}</span><span
          class="option-desc nowrap">${words}</span></button>`;
  }

  /** @param {import("maia/frames").Choice} choice */
  _tick({ value, words, current, disabled }) {
    return html`<label class="option"><input class="check" type="checkbox"
      .checked=${this._chosen.has(value)} ?disabled=${disabled}
      @change=${() => this._toggle(value)}>
      <span class="mono ellipsis grow" dir="auto">${value}</span>${
        current ? html`<span class="badge info">${t("reply.current")}</span>` : nothing
      }<span class="option-desc nowrap">${words}</span></label>`;
  }

  /** @param {string} value */
  _toggle(value) {
    const chosen = new Set(this._chosen);
    if (!chosen.delete(value)) chosen.add(value);
    this._chosen = chosen;
  }

  /** @param {import("maia/frames").ChoicesBlock} block */
  _sendMany({ command, action }) {
    const names = [...this._chosen];
    this.tell("maia-confirm", {
      title: t("reply.delete", { n: names.length }),
      text: `${names.map(isolated).join(", ")}. ${t("reply.final")}`,
      action,
      command: `/${command} ${names.map((name) => `"${name}"`).join(" ")}`,
    });
    this._chosen = NONE;
  }
}

customElements.define("maia-reply", MaiaReply);
