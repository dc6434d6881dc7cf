/** Markdown to safe elements: raw HTML is escaped first, everything is sanitised after. */

import { iconElement } from "maia/lib/dom";
import { t } from "maia/lib/i18n";
import { htmlOf } from "maia/lib/markdown/grammar";
import { pathIn, piecesOf } from "maia/lib/markdown/names";
import { isRightToLeft } from "maia/lib/visible";
import { DOMPurify, hljs } from "markdown";

/** Longer blocks stay plain: colouring them would stall the page. */
const HIGHLIGHT_UP_TO = 20_000;
const SAFE = {
  RETURN_DOM_FRAGMENT: /** @type {const} */ (true),
  FORBID_TAGS: ["style", "form", "input", "button", "svg", "math"],
  FORBID_ATTR: ["style", "class", "id", "name"],
  ALLOW_DATA_ATTR: false,
  ADD_ATTR: ["data-lang", "data-named"],
};

/**
 * Draws one block.
 * @param {any} block
 * @param {{links?: any, open?: boolean, agents?: Set<string>, typed?: boolean,
 *   files?: Set<string>}} [options] `open`: text still comes; `typed`: by a person, who joined
 *   these files
 * @returns {DocumentFragment}
 */
export function drawBlock(block, options = {}) {
  const { links = {}, open = false, agents = new Set(), typed = false } = options;
  const fragment = DOMPurify.sanitize(htmlOf(Object.assign([block], { links }), typed), SAFE);
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  for (const pre of fragment.querySelectorAll("pre")) frameCode(pre, open);
  for (const table of fragment.querySelectorAll("table")) frameTable(table);
  for (const item of fragment.querySelectorAll("li")) {
    if (/^[☐☑] /.test(item.textContent ?? "")) item.className = "task";
  }
  if (typed) markNames(fragment, agents, options.files ?? new Set());
  else if (agents.size) markMentions(fragment, agents);
  direct(fragment);
  return fragment;
}

/** Lets every block run the way its letters do, without any as its surroundings; code from left. @param {ParentNode} root */
function direct(root) {
  for (const each of root.querySelectorAll("p, h1, h2, h3, h4, h5, h6, li, td, th"))
    if (/\p{L}/u.test(each.textContent ?? "")) each.setAttribute("dir", "auto");
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
  frame.dir = "ltr";
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

/**
 * Makes each name of a person's text what it is.
 * @param {DocumentFragment} fragment @param {Set<string>} agents @param {Set<string>} files
 */
function markNames(fragment, agents, files) {
  for (const name of fragment.querySelectorAll("[data-named]")) {
    const pieces = piecesOf(name.textContent ?? "", agents, files);
    name.replaceWith(
      ...pieces.map(({ kind, text }) => (kind === "text" ? text : marked(kind, text))),
    );
  }
}

/** @param {"mention" | "file"} kind @param {string} text */
function marked(kind, text) {
  const element = document.createElement(kind === "file" ? "a" : "span");
  element.className = kind === "file" ? "fileref" : "mention";
  element.textContent = text;
  if (element instanceof HTMLAnchorElement) {
    element.href = "#";
    element.dataset.file = pathIn(text);
  }
  return element;
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
    return marked("mention", piece);
  });
}
