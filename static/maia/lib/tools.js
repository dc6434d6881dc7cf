/** What a tool call shows in its one line: verb, target, result. Pure. */

import { visible } from "maia/lib/visible";

/** @typedef {import("maia/frames").ToolPart} ToolPart */

/** @type {Record<string, string>} */
const ICONS = {
  read: "read",
  edit: "pencil",
  delete: "trash",
  move: "move",
  search: "search",
  execute: "terminal",
  think: "think",
  fetch: "globe",
  other: "wrench",
};
/** The fields of an input that say best what a call is about. */
const TARGETS = ["command", "file_path", "filePath", "path", "query", "url", "name", "prompt"];
const LIMIT_MS = 120_000;

/** @param {ToolPart} part */
export function iconOf(part) {
  if (part.name === "Write") return "file-plus";
  if (part.name === "TodoWrite") return "todo";
  return part.name === "Skill" ? "book" : (ICONS[part.kind] ?? "wrench");
}

/**
 * Returns how many lines of a file a Read shows; what it says of the file is none of them.
 * @param {string} output
 */
export function linesRead(output) {
  return output.match(/^ *\d+\t/gm)?.length ?? output.replace(/\n$/, "").split("\n").length;
}

/**
 * Returns the input of a call; {} where it is not an object (yet).
 * @param {ToolPart} part
 * @returns {Record<string, any>}
 */
export function inputOf(part) {
  try {
    const input = JSON.parse(part.input || "{}");
    return input && typeof input === "object" && !Array.isArray(input) ? input : {};
  } catch {
    return {};
  }
}

/** Returns what a call is about, in one line. @param {ToolPart} part */
export function targetOf(part) {
  const title = withoutVerb(part.title ?? "", part.name);
  if (title) return oneLine(title);
  const input = inputOf(part);
  if (typeof input.pattern === "string")
    return oneLine(input.path ? `${input.pattern} · ${input.path}` : input.pattern);
  const key = TARGETS.find((name) => typeof input[name] === "string" && input[name]);
  if (key) return oneLine(input[key]);
  const pairs = Object.entries(input).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return oneLine(pairs.join(" "));
}

/** @param {string} title @param {string} name */
function withoutVerb(title, name) {
  if (title === name) return "";
  const inside =
    title.startsWith(`${name}(`) && title.endsWith(")") ? title.slice(name.length + 1, -1) : title;
  return inside.startsWith(`${name} `) ? inside.slice(name.length + 1) : inside;
}

/** @param {string} text */
function oneLine(text) {
  return visible(text.replace(/\s+/g, " ").trim().slice(0, 300));
}

/**
 * Returns the command of a call that runs one, with nothing in it hidden.
 * @param {ToolPart} part
 */
export function commandOf(part) {
  const { command } = inputOf(part);
  return typeof command === "string" ? visible(command) : "";
}

/**
 * Cuts the command of a call where the part that decided stands, so that it can be marked.
 * @param {ToolPart} part @param {string} [deciding]
 * @returns {{text: string, decides: boolean}[]}
 */
export function decidingParts(part, deciding = "") {
  const { command } = inputOf(part);
  if (typeof command !== "string") return [];
  const [at, end] = placeOf(deciding, command) ??
    placeOf(deciding.split(" → ")[0] ?? "", command) ?? [-1, -1];
  if (at < 0) return [{ text: visible(command), decides: false }];
  return [
    { text: command.slice(0, at), decides: false },
    { text: command.slice(at, end), decides: true },
    { text: command.slice(end), decides: false },
  ]
    .filter((each) => each.text)
    .map(({ text, decides }) => ({ text: visible(text), decides }));
}

/**
 * Returns where a part stands in a command; that of a link is written "link → file".
 * @param {string} part
 * @param {string} command
 */
function placeOf(part, command) {
  const at = part ? command.search(new RegExp(`(?<![\\w./-])${escaped(part)}(?![\\w/-])`)) : -1;
  return at < 0 ? null : [at, at + part.length];
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Returns the path of the file a call is about, "" for none. @param {ToolPart} part */
export function pathOf(part) {
  const input = inputOf(part);
  return part.locations?.[0]?.path ?? part.diffs?.[0]?.path ?? input.file_path ?? input.path ?? "";
}

/** Returns the time limit of a command in seconds. @param {ToolPart} part */
export function limitOf(part) {
  const { timeout } = inputOf(part);
  return Math.round((typeof timeout === "number" && timeout > 0 ? timeout : LIMIT_MS) / 1_000);
}

const LAST_LINE =
  /\[(?:exit code|code de sortie)\s?: (?:exit status )?(\d+)\]\s*$|\[(?:exit code: signal:|ended by signal|terminé par le signal) (\d+)\]\s*$/i;

/**
 * Returns the exit code of a finished command, below 0 the signal that ended it; cards of before it
 * was told have it in their last line.
 * @param {ToolPart} part
 * @returns {number | undefined}
 */
export function exitCodeOf(part) {
  if (part.exitCode !== undefined && part.exitCode !== null) return part.exitCode;
  if (part.kind !== "execute") return undefined;
  const [, code, signal] = LAST_LINE.exec(part.output) ?? [];
  if (signal) return -Number(signal);
  return code === undefined ? undefined : Number(code);
}

/** Whether a finished command ended with another code than 0. @param {ToolPart} part */
export function endedBadly(part) {
  return part.status === "failed" || Boolean(exitCodeOf(part));
}

/**
 * Returns the first `most` characters, never half of a pair.
 * @param {string} text
 * @param {number} most
 */
export function beginning(text, most) {
  if (text.length <= most) return text;
  const code = text.charCodeAt(most - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? most - 1 : most);
}
