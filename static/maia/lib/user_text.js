/**
 * Splits what a person typed into the few things that look different: code, mentions, files, links.
 * Pure.
 */

import { LINK_SOURCE } from "maia/lib/visible";

const PIECE = new RegExp(
  `(${LINK_SOURCE}|${
    /```[\s\S]*?(?:```|$)|`[^`\n]+`|(?<![\w@./-])@(?:'(?:\\'|[^'\n])*'|[^\s'@]*[\w/~])|(?<!\w)§[\w-]+|(?<![\w$])\$[\w./~-]*[\w/~-]/
      .source
  })`,
  "g",
);

/**
 * @param {string} text
 * @param {Set<string>} agents names that read as mentions
 * @param {Set<string>} [files] paths that `@` joined to the message
 * @returns {{kind: "text" | "block" | "code" | "mention" | "file" | "link", text: string}[]}
 */
export function userPieces(text, agents, files = new Set()) {
  return text
    .split(PIECE)
    .filter(Boolean)
    .map((piece) => ({ kind: kindOf(piece, agents, files), text: piece }))
    .map((piece) =>
      inner(piece)
        ? { ...piece, text: inner(piece) }
        : { kind: /** @type {const} */ ("text"), text: piece.text },
    );
}

/**
 * @param {string} piece
 * @param {Set<string>} agents
 * @param {Set<string>} files
 * @returns {"text" | "block" | "code" | "mention" | "file" | "link"}
 */
function kindOf(piece, agents, files) {
  if (piece.startsWith("```")) return "block";
  if (piece.length > 2 && piece.startsWith("`") && piece.endsWith("`")) return "code";
  if (/^https?:\/\//.test(piece)) return "link";
  if (piece.startsWith("@") && agents.has(piece.slice(1).replace(/[.-]+$/, ""))) return "mention";
  if (piece.startsWith("@")) return files.has(pathIn(piece)) ? "file" : "text";
  if (piece.startsWith("§") && piece.length > 1) return "mention";
  return /^\$[\w./~-]*[./][\w./~-]*$/.test(piece) ? "file" : "text";
}

/** Returns the path that a piece names. @param {string} piece */
export function pathIn(piece) {
  const path = piece.slice(1);
  return path.startsWith("'") ? path.slice(1, -1).replaceAll("\\'", "'") : path;
}

/** @param {{kind: string, text: string}} piece */
function inner({ kind, text }) {
  if (kind === "code") return text.slice(1, -1);
  return kind === "block" ? text.replace(/^```[^\n]*\n?/, "").replace(/\n?```$/, "") : text;
}
