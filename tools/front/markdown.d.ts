// The types of what vendor/src/markdown.js exports under the one name "markdown".
export { default as DOMPurify } from "../../vendor/node_modules/dompurify";
export { default as hljs } from "../../vendor/node_modules/highlight.js/lib/core";
export type { MarkedExtension } from "../../vendor/node_modules/marked";
export { Lexer, Marked, Parser, Renderer } from "../../vendor/node_modules/marked";
