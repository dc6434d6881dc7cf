/**
 * What Enter will do with a line, before it is sent: the same reading as the server's
 * (agents/domain/typed/line.py); tests/golden/lines.json holds both to it. Pure.
 */

const BLANK_LINES = /^(?:[^\S\n]*\n)+/;
const INDENTED = /^(?:\t| {4})/;
const MENTION = /^@([A-Za-z0-9][\w.-]*)(?![\w./-])[ \t\n,:]*/;
const SKILL = /^§(?![ \t]*\d+[a-z]?(?:[\s.,;:)/]|$))[ \t]*([^\s§]*)(?:\s|$)/;
const SLASH = /^\/([^\s/]*)(?:\s+([\s\S]*))?$/;
const ADDRESSED = /^\/([A-Za-z0-9][\w.-]*):(\S+)(?:\s+[\s\S]*)?$/;
const COMMAND = /^\/[^\s/\\.]+(?:\s|$)/;

/**
 * @typedef {"said" | "plain" | "shell" | "command" | "agent" | "skill" | "unknown"} Kind
 * `agent`: a command that an agent gets; `unknown`: words that begin like a command; `plain`: words
 * after a `\`
 * @typedef {{kind: Kind, name: string, agent: string}} Read
 * @typedef {{name: string, argument?: string}} Command
 */

/** Returns a text as it is sent: its first line keeps its indentation. @param {string} text */
export function trimmed(text) {
  return text.replace(BLANK_LINES, "").trimEnd();
}

/**
 * Returns what the line is.
 * @param {string} text
 * @param {Command[]} commands those that there are
 * @param {string[]} agents their names
 * @returns {Read}
 */
export function readLine(text, commands, agents) {
  const line = trimmed(text);
  if (INDENTED.test(line)) return read("said");
  if (line.startsWith("\\")) {
    const behind = line.slice(1);
    const signed = signedKind(behind.trim(), commands, agents).kind;
    return read(signed === "said" && !COMMAND.test(behind) ? "said" : "plain");
  }
  return signedKind(line.trim(), commands, agents);
}

/** @param {string} line @param {Command[]} commands @param {string[]} agents @returns {Read} */
function signedKind(line, commands, agents) {
  if (line.startsWith("!")) return read("shell");
  const { rest, named } = withoutMentions(line, agents);
  const command = slashOf(rest, commands, agents);
  if (command && (!named.length || (named.length === 1 && !command.agent)))
    return { ...command, agent: command.agent || (named[0] ?? "") };
  const addressed = ADDRESSED.exec(line);
  const agent = addressed ? known(addressed[1], agents) : undefined;
  if (addressed && agent) return read("agent", `/${addressed[2]}`, agent);
  const skill = SKILL.exec(rest);
  if (skill) return read("skill", skill[1]);
  const word = named.length ? undefined : /^\/[^\s/\\.]*(?=\s|$)/.exec(line)?.[0];
  return word ? read("unknown", word) : read("said");
}

/** @param {string} line @param {Command[]} commands @param {string[]} agents */
function slashOf(line, commands, agents) {
  const found = SLASH.exec(line);
  if (!found) return undefined;
  const [, prefix, name] = /^(?:(.*):)?(.*)$/.exec(found[1].toLowerCase()) ?? [];
  const spec = commands.find((each) => each.name === name);
  let agent = prefix === undefined ? "" : known(prefix, agents);
  let rest = (found[2] ?? "").trim();
  if (!spec || agent === undefined) return undefined;
  const mention = agent ? undefined : /^@([A-Za-z0-9][\w.-]*)(?:\s+|$)/.exec(rest);
  const addressed = mention ? known(mention[1], agents) : undefined;
  if (mention && addressed) {
    agent = addressed;
    rest = rest.slice(mention[0].length).trim();
  }
  return rest.includes("\n") || (rest && !spec.argument)
    ? undefined
    : read("command", spec.name, agent);
}

/** @param {string} line @param {string[]} agents */
function withoutMentions(line, agents) {
  let rest = line;
  /** @type {string[]} */
  const named = [];
  for (;;) {
    const found = MENTION.exec(rest);
    const agent = found
      ? (known(found[1], agents) ?? known(found[1].replace(/[.\-_]+$/, ""), agents))
      : undefined;
    if (!found || !agent) return { rest, named };
    if (!named.includes(agent)) named.push(agent);
    rest = rest.slice(found[0].length);
  }
}

/** @param {string} name @param {string[]} agents */
function known(name, agents) {
  return agents.find((each) => each.toLowerCase() === name.toLowerCase());
}

/** @param {Kind} kind @returns {Read} */
function read(kind, name = "", agent = "") {
  return { kind, name, agent };
}
