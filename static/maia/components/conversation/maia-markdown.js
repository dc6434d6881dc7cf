/**
 * <maia-markdown>: text as it streams, or as a person `typed` it. Emits `maia-copy` {text} and
 * `maia-open-file` {path}. Complete blocks are drawn once and never touched again;
 * the last two are drawn again at most once per frame (guide §6.3).
 */
import { MaiaElement } from "maia/lib/dom";
import { drawBlock } from "maia/lib/markdown/draw";
import { blocksOf, htmlOf, withoutOpenMarks } from "maia/lib/markdown/grammar";

/** Blocks at the end that later text may still change. */
const KEPT_OPEN = 2;

/** @typedef {{raw: string, nodes: ChildNode[]}} Drawn */

export class MaiaMarkdown extends MaiaElement {
  static properties = {
    text: { attribute: false },
    done: { attribute: false },
    agents: { attribute: false },
    typed: { attribute: false },
    files: { attribute: false },
  };

  constructor() {
    super();
    this.text = "";
    this.done = true;
    /** @type {Set<string>} names that read as mentions */
    this.agents = new Set();
    this.typed = false;
    /** @type {string[]} the paths that a person's text joined */
    this.files = [];
    this._joined = "";
    /** @type {Drawn[]} blocks that may change */
    this._open = [];
    /** @type {string[]} the raw text of every frozen block */
    this._frozen = [];
    this._base = 0;
    this._source = "";
    this._frame = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    this.classList.add("prose");
    this.addEventListener("click", this._clicked);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    cancelAnimationFrame(this._frame);
    this._frame = 0;
  }

  /** @param {Map<PropertyKey, any>} changed */
  shouldUpdate(changed) {
    const joined = this.files.join("\n");
    if (joined !== this._joined) this._restart();
    else if (changed.size === 1 && changed.has("files")) return false;
    this._joined = joined;
    if (this.done || !this._source) this._paint();
    else if (!this._frame) this._frame = requestAnimationFrame(() => this._paint());
    return false;
  }

  _paint() {
    cancelAnimationFrame(this._frame);
    this._frame = 0;
    if (!this.text.startsWith(this._source)) this._restart();
    this._source = this.text;
    const tail = this.text.slice(this._base);
    const blocks = blocksOf(tail, this.typed);
    this._draw(blocks);
    if (this.done) this._finish();
    else this._freeze(blocks);
  }

  _restart() {
    this.replaceChildren();
    Object.assign(this, { _open: [], _frozen: [], _base: 0, _source: "" });
  }

  /** @param {any} blocks tokens of the open tail, with their `links` */
  _draw(blocks) {
    blocks.forEach((/** @type {any} */ block, /** @type {number} */ index) => {
      const last = !this.done && index === blocks.length - 1;
      const key = `${last ? "open" : "done"} ${block.raw}`;
      const known = this._open[index];
      if (known?.raw === key) return;
      const nodes = [
        ...drawBlock(last ? unfinished(block) : block, {
          links: blocks.links,
          open: last,
          agents: this.agents,
          typed: this.typed,
          files: new Set(this.files),
        }).childNodes,
      ].filter((node) => node.nodeType !== Node.TEXT_NODE || node.nodeValue?.trim());
      if (last) nodes.at(-1) && addCaret(/** @type {Element} */ (nodes.at(-1)));
      if (known) replace(known.nodes, nodes, this);
      else this.append(...nodes);
      this._open[index] = { raw: key, nodes };
    });
    for (const { nodes } of this._open.splice(blocks.length)) {
      for (const node of nodes) node.remove();
    }
  }

  /** @param {any[]} blocks */
  _freeze(blocks) {
    const count = blocks.length - KEPT_OPEN;
    if (count <= 0) return;
    const through = blocks.slice(0, count).map((block) => block.raw);
    const end = this._endOf(through);
    if (end < 0) return;
    this._base += end;
    this._frozen.push(...through);
    this._open.splice(0, count);
  }

  /**
   * Returns where the blocks end in the open tail, blank lines between them included.
   * @param {string[]} raws
   */
  _endOf(raws) {
    const tail = this._source.slice(this._base);
    let at = 0;
    for (const raw of raws) {
      const found = tail.indexOf(raw, at);
      if (found < 0 || tail.slice(at, found).trim()) return -1;
      at = found + raw.length;
    }
    return at;
  }

  /** Draws everything again only if whole text reads differently from its pieces. */
  _finish() {
    if (!this._frozen.length) return;
    const whole = blocksOf(this.text);
    const pieces = [...this._frozen, this._source.slice(this._base)];
    const same = htmlOf(whole) === pieces.map((piece) => htmlOf(blocksOf(piece))).join("");
    this._frozen = [];
    this._base = 0;
    if (same) return;
    this.replaceChildren();
    this._open = [];
    this._draw(whole);
  }

  /** @param {MouseEvent} event */
  _clicked = async (event) => {
    const target = /** @type {Element} */ (event.target);
    const file = /** @type {HTMLElement | null} */ (target.closest("[data-file]"));
    if (file) {
      event.preventDefault();
      this.tell("maia-open-file", { path: file.dataset.file });
    }
    const button = target.closest("[data-copy]");
    if (!button) return;
    const code = button.closest(".code")?.querySelector("pre")?.textContent ?? "";
    this.tell("maia-copy", { text: code });
  };
}

/** @param {any} block */
function unfinished(block) {
  const raw = withoutOpenMarks(block.raw);
  return raw === block.raw ? block : (blocksOf(raw)[0] ?? block);
}

/** @param {Element} element */
function addCaret(element) {
  const caret = document.createElement("span");
  caret.className = "caret";
  caret.ariaHidden = "true";
  const code = element.querySelector?.("pre");
  let at = code ?? element;
  while (!code && at.lastElementChild && /^(?:UL|OL|LI|BLOCKQUOTE)$/.test(at.tagName))
    at = at.lastElementChild;
  at.append(caret);
}

/** @param {ChildNode[]} before @param {ChildNode[]} after @param {Element} parent */
function replace(before, after, parent) {
  const first = before[0];
  if (first) first.before(...after);
  else parent.append(...after);
  for (const node of before) node.remove();
}

customElements.define("maia-markdown", MaiaMarkdown);
