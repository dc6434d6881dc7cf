/** Splits what a person typed into the few things that look different: code, mentions, files, links. Pure. */

const PIECE = /(```[\s\S]*?(?:```|$)|`[^`\n]+`|https?:\/\/[^\s<>"']+|(?<![\w@./-])@[A-Za-z0-9][\w.-]*|(?<!\w)§[\w-]+|(?<![\w$])\$[\w./~-]*[\w/~-])/g;

/**
 * @param {string} text
 * @param {Set<string>} agents names that read as mentions
 * @returns {{kind: "text" | "block" | "code" | "mention" | "file" | "link", text: string}[]}
 */
export function userPieces(text, agents) {
  return text.split(PIECE).filter(Boolean).map((piece) => ({ kind: kindOf(piece, agents), text: piece }))
    .map((piece) => (inner(piece) ? { ...piece, text: inner(piece) } : { kind: /** @type {const} */ ("text"), text: piece.text }));
}

/**
 * @param {string} piece
 * @param {Set<string>} agents
 * @returns {"text" | "block" | "code" | "mention" | "file" | "link"}
 */
function kindOf(piece, agents) {
  if (piece.startsWith("```")) return "block";
  if (piece.length > 2 && piece.startsWith("`") && piece.endsWith("`")) return "code";
  if (/^https?:\/\//.test(piece)) return "link";
  if (piece.startsWith("@") && agents.has(piece.slice(1).replace(/[.-]+$/, ""))) return "mention";
  if (piece.startsWith("§") && piece.length > 1) return "mention";
  return /^\$[\w./~-]*[./][\w./~-]*$/.test(piece) ? "file" : "text";
}

/** @param {{kind: string, text: string}} piece */
function inner({ kind, text }) {
  if (kind === "code") return text.slice(1, -1);
  return kind === "block" ? text.replace(/^```[^\n]*\n?/, "").replace(/\n?```$/, "") : text;
}
