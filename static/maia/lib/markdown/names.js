/** What people name in a text: agents, skills, files. Pure. */

import { MARKS } from "maia/lib/visible";

const LETTER = "\\p{L}\\p{M}\\p{N}_";
const PATH = `[^\\s'@*\`<>${MARKS}]*[${LETTER}/~]`;
const NAMED =
  `(?<![\\w@./-])@(?:'(?:\\\\'|[^'\\n])*'|${PATH})` +
  `|(?<![${LETTER}])§[${LETTER}-]+` +
  `|(?<![\\w$])\\$[${LETTER}./~-]*[${LETTER}/~-]`;
const FIRST = new RegExp(NAMED, "u");
const HERE = new RegExp(NAMED, "uy");
const AGENT = /^@([A-Za-z0-9][\w.-]*)/;

/** @typedef {{kind: "text" | "mention" | "file", text: string}} Piece */

/** Returns where the first name of a text may begin, -1 without one. @param {string} text */
export function firstName(text) {
  return text.search(FIRST);
}

/**
 * Returns what a text names where it begins, "" for nothing.
 * @param {string} text @param {string} before the character before it
 */
export function nameAt(text, before) {
  if (!/^[@§$]/.test(text)) return "";
  HERE.lastIndex = before.length;
  return HERE.exec(before + text)?.[0] ?? "";
}

/**
 * Tells what a name is: an agent, a skill, a file that was joined, or mere text. An agent's may
 * have letters of a script without blanks right behind it.
 * @param {string} name @param {Set<string>} agents @param {Set<string>} files
 * @returns {Piece[]}
 */
export function piecesOf(name, agents, files) {
  if (name.startsWith("§")) return [{ kind: "mention", text: name }];
  if (name.startsWith("$")) return [{ kind: /[./]/.test(name) ? "file" : "text", text: name }];
  if (files.has(pathIn(name))) return [{ kind: "file", text: name }];
  const agent = AGENT.exec(name)?.[1].replace(/[.-]+$/, "") ?? "";
  if (!agents.has(agent)) return [{ kind: "text", text: name }];
  const mention = name.slice(0, agent.length + 1);
  const rest = name.slice(mention.length);
  return [
    { kind: "mention", text: mention },
    ...(rest ? [{ kind: /** @type {const} */ ("text"), text: rest }] : []),
  ];
}

/** Returns the path that a name names. @param {string} name */
export function pathIn(name) {
  const path = name.slice(1);
  return path.startsWith("'") ? path.slice(1, -1).replaceAll("\\'", "'") : path;
}
