/**
 * How text is read as Markdown: that of agents, and the same with line breaks and names as they
 * were typed for what people write. Raw HTML is escaped. Pure.
 */

import { firstName, nameAt } from "maia/lib/markdown/names";
import { isCjk, untilLinkEnd } from "maia/lib/visible";
import { Lexer, Marked } from "markdown";

const LINK = /^(?:https?:|mailto:)/i;
/** A longer paragraph is a paste, not prose; marks in it take more time the longer it is. */
const LONGEST_INLINE = 5_000;
const DEEPEST = 40;

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
const BOTH = /^\*\*\*(?![\s*])([^*]*[^\s*])\*\*\*(?!\*)/;
/** Python's own names: `__init__.py`, `obj.__dict__`, `"__main__"`. */
const DUNDER = /^__\w+__(?!\w)/;
const EMPHASIS = /^\*(?![\s*])([^*]*[^\s*])\*(?!\*)/;

/**
 * Reads bold beside the punctuation of scripts that write no blanks, where CommonMark sees none.
 * @this {any}
 * @param {string} src @param {string} masked the same, code and links covered
 * @param {string} before the character before it
 */
function strongOf(src, masked, before) {
  const dunder = DUNDER.exec(src)?.[0];
  if (dunder && (/["'.]/.test(before) || /^(?:["'(]|\.\w)/.test(src.slice(dunder.length))))
    return { type: "text", raw: dunder, text: dunder, escaped: false };
  const covered = masked.slice(-src.length);
  const found = BOTH.exec(covered) ?? STRONG.exec(covered) ?? EMPHASIS.exec(covered);
  if (!found) return own.emStrong.call(this, src, masked, before);
  const raw = src.slice(0, found[0].length);
  const sides = [before, found[1][0], found[1].at(-1), src[raw.length]];
  if (!sides.some(isCjk)) return own.emStrong.call(this, src, masked, before);
  const width = /^\**/.exec(found[0])?.[0].length ?? 1;
  const text = raw.slice(width, -width);
  const tokens = this.lexer.inlineTokens(text);
  if (width < 3) return { type: width === 2 ? "strong" : "em", raw, text, tokens };
  return { type: "em", raw, text, tokens: [{ type: "strong", raw, text, tokens }] };
}

/** Names stay whole: `@src/__init__.py` holds no bold. */
const named = {
  name: "named",
  level: /** @type {const} */ ("inline"),
  /** @param {string} src */
  start: (src) => {
    const at = firstName(src);
    return at < 0 ? undefined : at;
  },
  /** @param {string} src @param {any[]} tokens */
  tokenizer(src, tokens) {
    const raw = nameAt(src, tokens.at(-1)?.raw.at(-1) ?? "");
    return raw ? { type: "named", raw } : undefined;
  },
  /** @param {any} token */
  renderer: ({ raw }) => `<span data-named>${escaped(raw)}</span>`,
};

/** A lexer that neither a long paste nor a deep nest can hold up. */
class CalmLexer extends Lexer {
  depth = 0;

  /** @param {string} src @param {any} [tokens] @param {boolean} [clipped] @returns {any} */
  blockTokens(src, tokens = [], clipped = false) {
    this.depth += 1;
    try {
      if (this.depth <= DEEPEST) return super.blockTokens(src, tokens, clipped);
      tokens.push({ type: "paragraph", raw: src, text: src, tokens: this.inline(src) });
      return tokens;
    } finally {
      this.depth -= 1;
    }
  }

  /** @param {string} src @param {any[]} [tokens] */
  inlineTokens(src, tokens = []) {
    if (src.length <= LONGEST_INLINE) return super.inlineTokens(src, tokens);
    tokens.push({ type: "text", raw: src, text: src, escaped: false });
    return tokens;
  }
}

/** @type {import("markdown").MarkedExtension} */
const GRAMMAR = {
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
    /** @param {any} token */
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
};
const spoken = new Marked(GRAMMAR);
/** A `\` of a path, of an expression or at the end of a shell's line stays. */
const ESCAPED = /^\\[*_`~#[\]<>|]/;
const typedIn = new Marked(GRAMMAR, {
  breaks: true,
  tokenizer: /** @type {any} */ ({
    /** @this {any} @param {string} src */
    escape(src) {
      return ESCAPED.test(src) ? own.escape.call(this, src) : undefined;
    },
    /** @this {any} @param {string} src */
    br(src) {
      return src.startsWith("\\") ? undefined : own.br.call(this, src);
    },
  }),
  extensions: [/** @type {any} */ (named)],
  renderer: { br: ({ raw }) => `<br>${raw.slice(raw.lastIndexOf("\n") + 1)}` },
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

/**
 * Splits a text into its blocks; `raw` tells one from another.
 * @param {string} text @param {boolean} [typed] by a person: line breaks and names stay
 */
export function blocksOf(text, typed = false) {
  const { defaults } = typed ? typedIn : spoken;
  const tokens = new CalmLexer(/** @type {any} */ (defaults)).lex(text);
  return tokens.filter((token) => token.type !== "space");
}

/**
 * Returns the HTML of blocks, not sanitised.
 * @param {any} blocks @param {boolean} [typed]
 */
export function htmlOf(blocks, typed = false) {
  return (typed ? typedIn : spoken).parser(blocks);
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
