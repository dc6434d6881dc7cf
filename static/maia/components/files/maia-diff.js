/** <maia-diff>: a change of one file as a table; signs carry the meaning, colour supports it. */
import { html, nothing } from "lit";
import { compare } from "maia/lib/diffs";
import { MaiaElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { colour } from "maia/lib/markdown/draw";

/** Rows drawn before "Show all". */
const FIRST_ROWS = 200;
const SIGNS = { add: "+", del: "−", same: "", gap: "" };
/** @type {Record<string, string>} */
const LANGUAGES = {
  py: "python",
  js: "javascript",
  mjs: "javascript",
  ts: "typescript",
  tsx: "typescript",
  jsx: "javascript",
  md: "markdown",
  rs: "rust",
  rb: "ruby",
  sh: "bash",
  yml: "yaml",
  yaml: "yaml",
  h: "c",
  hpp: "cpp",
  cc: "cpp",
  cs: "csharp",
  kt: "kotlin",
  html: "xml",
  svg: "xml",
  toml: "ini",
};

export class MaiaDiff extends MaiaElement {
  static properties = { diff: { attribute: false }, _all: { state: true } };

  constructor() {
    super();
    /** @type {import("maia/frames").Diff | undefined} */
    this.diff = undefined;
    this._all = false;
  }

  render() {
    if (!this.diff) return nothing;
    const { rows, tooBig } = compare(this.diff);
    if (tooBig) return html`<div class="tool-io">${t("diff.tooBig")}</div>`;
    const shown = this._all ? rows : rows.slice(0, FIRST_ROWS);
    const language = languageOf(this.diff.path);
    return html`<div class="diff" tabindex="0" role="group"
      aria-label=${t("diff.of", { path: this.diff.path })}>
      <table><tbody>${shown.map((row) => drawRow(row, language))}</tbody></table></div>
      ${shown.length < rows.length ? this._more(rows.length - shown.length) : nothing}`;
  }

  /** @param {number} n */
  _more(n) {
    return html`<div class="tool-foot"><span class="grow">${t("diff.more", { n })}</span>
      <button class="btn quiet s" @click=${() => {
        this._all = true;
      }}>${t("showAll")}</button></div>`;
  }
}

/** @param {string} path */
function languageOf(path) {
  const ext = /\.([^./]+)$/.exec(path)?.[1].toLowerCase() ?? "";
  return LANGUAGES[ext] ?? ext;
}

/** @param {import("maia/lib/diffs").Row} row @param {string} language */
function drawRow(row, language) {
  if (row.kind === "gap") return html`<tr class="gap"><td colspan="4">${row.text}</td></tr>`;
  return html`<tr class=${row.kind === "same" ? nothing : row.kind}><td
    class="ln">${row.before}</td><td class="ln">${
      row.after
    }</td><td class="sg">${SIGNS[row.kind]}</td><td class="tx">${lineOf(row, language)}</td></tr>`;
}

/** @param {import("maia/lib/diffs").Row} row @param {string} language */
function lineOf(row, language) {
  const line = document.createElement("span");
  line.textContent = row.text;
  colour(line, row.text, language);
  for (const [from, to] of row.marks ?? []) mark(line, from, to);
  return line;
}

/**
 * Puts a stretch of a line's text into <mark>.
 * @param {Element} line
 * @param {number} from
 * @param {number} to
 */
function mark(line, from, to) {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  let at = 0;
  for (const node of texts) {
    const start = Math.max(from - at, 0);
    const end = Math.min(to - at, node.length);
    at += node.length;
    if (start >= end) continue;
    const marked = start ? node.splitText(start) : node;
    if (end - start < marked.length) marked.splitText(end - start);
    const wrap = document.createElement("mark");
    marked.replaceWith(wrap);
    wrap.append(marked);
  }
}

/**
 * Draws how many lines were added and removed.
 * @param {{added: number, removed: number}} change
 */
export function plusMinus({ added, removed }) {
  return html`<span class="pm"><span class="sr">${t("tool.changed", { added, removed })}</span><span
    aria-hidden="true">${
      added ? html`<span class="a">+${added}</span>` : nothing
    } ${removed ? html`<span class="d">−${removed}</span>` : nothing}</span></span>`;
}

customElements.define("maia-diff", MaiaDiff);
