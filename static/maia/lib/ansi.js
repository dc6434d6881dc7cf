/**
 * Reads the colours of a command's output (SGR sequences); every other control sequence is dropped.
 */

// eslint-disable-next-line no-control-regex
const SEQUENCE = /\x1b(?:\[([0-9;:?]*)([ -/]*[@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
/** @type {Record<number, string>} */
const COLOURS = {
  30: "d",
  31: "r",
  32: "g",
  33: "y",
  34: "b",
  35: "m",
  36: "cy",
  37: "",
  90: "d",
  91: "r",
  92: "g",
  93: "y",
  94: "b",
  95: "m",
  96: "cy",
  97: "w",
};

/**
 * Splits text into runs of one look; `look` is a class of `.term` or "".
 * @param {string} text
 * @returns {{text: string, look: string}[]}
 */
export function ansiRuns(text) {
  const plain = overwritten(text);
  const runs = [];
  let look = "";
  let at = 0;
  for (const match of plain.matchAll(SEQUENCE)) {
    if (match.index > at) runs.push({ text: plain.slice(at, match.index), look });
    at = match.index + match[0].length;
    if (match[2] === "m") look = lookAfter(look, match[1] ?? "");
  }
  if (at < plain.length) runs.push({ text: plain.slice(at), look });
  return runs;
}

/**
 * Keeps what a carriage return leaves visible: progress bars show their last state.
 * @param {string} text
 */
function overwritten(text) {
  if (!text.includes("\r")) return text;
  return text
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1))
    .join("\n");
}

/** @param {string} look @param {string} codes */
function lookAfter(look, codes) {
  for (const code of (codes || "0").split(/[;:]/).map(Number)) {
    if (code === 0 || code === 39) look = "";
    else if (code === 1 && !look) look = "w";
    else if (code === 2) look = "d";
    else if (code in COLOURS) look = COLOURS[code];
  }
  return look;
}
