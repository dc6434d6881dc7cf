/** Markdown to safe elements: raw HTML is escaped first, everything is sanitised after. */

import { iconElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { isCjk, isRightToLeft, untilLinkEnd } from "maia/lib/visible";
import { DOMPurify, hljs, Lexer, Marked } from "markdown";

/** Longer blocks stay plain: colouring them would stall the page. */
const HIGHLIGHT_UP_TO = 20_000;
const LINK = /^(?:https?:|mailto:)/i;
const SAFE = {
  RETURN_DOM_FRAGMENT: /** @type {const} */ (true),
  FORBID_TAGS: ["style", "form", "input", "button", "svg", "math"],
  FORBID_ATTR: ["style", "class", "id", "name"],
  ALLOW_DATA_ATTR: false,
  ADD_ATTR: ["data-lang"],
};

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** @param {string | undefined} text */
const firstWord = (text) => (text ?? "").split(/\s/)[0];

/** Marked's own reading of each kind of token. */
const own = Object.getPrototypeOf(/** @type {any} */ (new Lexer()).tokenizer);
const ADDRESS = /^(?:(?:ht|f)tps?:\/\/|www\.|mailto:|xmpp:|[\w.+-]+@)/i;
const STRUCK = /^~~(?=[^\s~])((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s~\\]))~~(?=[^~]|$)/;
const STRONG = /^\*\*(?![\s*])((?:[^*]|\*(?!\*))*?[^\s*])\*\*(?!\*)/;
const EMPHASIS = /^\*(?![\s*])([^*]*[^\s*])\*(?!\*)/;

/**
 * Reads bold beside the punctuation of scripts that write no blanks, where CommonMark sees none.
 * @this {any}
 * @param {string} src @param {string} masked the same, code and links covered
 * @param {string} before the character before it
 */
function strongOf(src, masked, before) {
  const covered = masked.slice(-src.length);
  const found = STRONG.exec(covered) ?? EMPHASIS.exec(covered);
  if (!found) return own.emStrong.call(this, src, masked, before);
  const raw = src.slice(0, found[0].length);
  const sides = [before, found[1][0], found[1].at(-1), src[raw.length]];
  if (!sides.some(isCjk)) return own.emStrong.call(this, src, masked, before);
  const type = raw.startsWith("**") ? "strong" : "em";
  const width = type === "strong" ? 2 : 1;
  const text = raw.slice(width, -width);
  return { type, raw, text, tokens: this.lexer.inlineTokens(text) };
}

const marked = new Marked({
  gfm: true,
  tokenizer: /** @type {any} */ ({
    emStrong: strongOf,
    /** One tilde means "about". @this {any} @param {string} src */
    del(src) {
      const found = STRUCK.exec(src);
      if (!found) return undefined;
      const [raw, text] = found;
      return { type: "del", raw, text, tokens: this.lexer.inlineTokens(text) };
    },
    /** @this {any} @param {string} src */
    url(src) {
      return ADDRESS.test(src) ? own.url.call(this, untilLinkEnd(src)) : undefined;
    },
  }),
  renderer: {
    html: ({ text }) => (/^<br\s*\/?>\s*$/i.test(text) ? "<br>" : escaped(text)),
    code: ({ text, lang }) =>
      `<pre data-lang="${escaped(firstWord(lang))}"><code>${escaped(text)}</code></pre>`,
    image: ({ href, text, title }) => imageOrLink(href, text || title || href),
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      return LINK.test(href) ? `<a href="${escaped(href)}">${words}</a>` : words;
    },
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

/**
 * Images come from here only (CSP img-src); elsewhere they are links.
 * @param {string} href
 * @param {string} text
 */
function imageOrLink(href, text) {
  if (/^\/(?!\/)/.test(href)) return `<img src="${escaped(href)}" alt="${escaped(text)}">`;
  return LINK.test(href) ? `<a href="${escaped(href)}">${escaped(text)}</a>` : escaped(text);
}

/** Splits a text into its blocks; `raw` tells one from another. @param {string} text */
export function blocksOf(text) {
  return marked.lexer(text).filter((token) => token.type !== "space");
}

/** Returns the HTML of blocks, not sanitised: only to compare. @param {any[]} blocks */
export function htmlOf(blocks) {
  return marked.parser(/** @type {any} */ (blocks));
}

/**
 * Draws one block.
 * @param {any} block
 * @param {{links?: any, open?: boolean, agents?: Set<string>}} [options] `open`: text still comes
 * @returns {DocumentFragment}
 */
export function drawBlock(block, { links = {}, open = false, agents } = {}) {
  const blocks = Object.assign([block], { links });
  const fragment = DOMPurify.sanitize(marked.parser(blocks), SAFE);
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  for (const pre of fragment.querySelectorAll("pre")) frameCode(pre, open);
  for (const table of fragment.querySelectorAll("table")) frameTable(table);
  for (const item of fragment.querySelectorAll("li")) {
    if (/^[☐☑] /.test(item.textContent ?? "")) item.className = "task";
  }
  if (agents?.size) markMentions(fragment, agents);
  direct(fragment);
  return fragment;
}

/** Lets every block run the way its own text does; code runs from left. @param {ParentNode} root */
function direct(root) {
  for (const each of root.querySelectorAll("p, h1, h2, h3, h4, h5, h6, li, td, th"))
    each.setAttribute("dir", "auto");
  for (const each of root.querySelectorAll("ul, ol, blockquote, table"))
    if (isRightToLeft(each.textContent ?? "")) each.setAttribute("dir", "rtl");
  for (const each of root.querySelectorAll("pre, code")) each.setAttribute("dir", "ltr");
}

/** @param {HTMLPreElement} pre @param {boolean} open */
function frameCode(pre, open) {
  const language = pre.dataset.lang ?? "";
  const text = pre.textContent ?? "";
  const frame = document.createElement("div");
  frame.className = open ? "code open" : "code";
  const head = document.createElement("div");
  head.className = "code-head";
  const name = document.createElement("span");
  name.className = "grow mono";
  name.textContent = language || t("code.text");
  const copy = document.createElement("button");
  copy.className = "icon-btn s";
  copy.type = "button";
  copy.dataset.copy = "";
  copy.title = t("copy");
  copy.ariaLabel = t("copy");
  copy.append(iconElement("copy"));
  head.append(name, copy);
  pre.removeAttribute("data-lang");
  pre.tabIndex = 0;
  pre.replaceWith(frame);
  frame.append(head, pre);
  if (!open) colour(pre.querySelector("code"), text, language);
}

/** @param {HTMLTableElement} table */
function frameTable(table) {
  const frame = document.createElement("div");
  frame.className = "scroll-x";
  frame.tabIndex = 0;
  frame.role = "region";
  frame.ariaLabel = t("table");
  table.replaceWith(frame);
  frame.append(table);
}

/**
 * Colours code by its language's name; unknown languages and long texts stay plain.
 * @param {Element | null} code
 * @param {string} text
 * @param {string} language
 */
export function colour(code, text, language) {
  if (!code || !hljs.getLanguage(language) || text.length > HIGHLIGHT_UP_TO) return;
  const { value } = hljs.highlight(text, { language, ignoreIllegals: true });
  code.replaceChildren(
    DOMPurify.sanitize(value, {
      RETURN_DOM_FRAGMENT: true,
      ALLOWED_TAGS: ["span"],
      ALLOWED_ATTR: ["class"],
    }),
  );
}

/** @param {DocumentFragment} fragment @param {Set<string>} agents */
function markMentions(fragment, agents) {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest("code, a") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const found = [];
  while (walker.nextNode()) {
    if (walker.currentNode.nodeValue?.includes("@"))
      found.push(/** @type {Text} */ (walker.currentNode));
  }
  for (const node of found) node.replaceWith(...withMentions(node.nodeValue ?? "", agents));
}

/** @param {string} text @param {Set<string>} agents */
function withMentions(text, agents) {
  return text.split(/(@[A-Za-z0-9][\w.-]*)/).map((piece) => {
    if (!piece.startsWith("@") || !agents.has(piece.slice(1).replace(/[.-]+$/, ""))) return piece;
    const mention = document.createElement("span");
    mention.className = "mention";
    mention.textContent = piece;
    return mention;
  });
}

/** Completes the head of a table, so that its pipes are never seen. @param {string} raw */
function withTableRule(raw) {
  const head = raw.split("\n")[0].trimEnd();
  const cells = head.replace(/^\||\|$/g, "").split("|").length;
  return `${head.endsWith("|") ? head : `${head} |`}\n|${" --- |".repeat(cells)}\n`;
}

/**
 * Shows unfinished marks as plain text: `**wor` reads "wor", `[name](htt` reads "name".
 * @param {string} raw the last block while text still comes
 */
export function withoutOpenMarks(raw) {
  if (/^\s*(?:```|~~~)/.test(raw)) return raw;
  if (/^\|[^\n]*(?:\n[|: -]*)?$/.test(raw)) return withTableRule(raw);
  const start = raw.lastIndexOf("\n") + 1;
  let line = raw.slice(start);
  line = line.replace(/!?\[([^\]\n]*)(?:\](?:\([^)\n]*)?)?$/, "$1");
  if ((line.match(/`/g) ?? []).length % 2) line = line.replace(/`([^`]*)$/, "$1");
  for (const mark of ["**", "__", "~~"]) {
    const parts = line.split(mark);
    if (parts.length % 2 === 0) line = `${parts.slice(0, -1).join(mark)}${parts.at(-1)}`;
  }
  return raw.slice(0, start) + line.replace(/(^|\s)[*_~]+$/, "$1");
}
