/**
 * Makes an xterm screen the way MAIA wants it: colours from the tokens, safe links, no clipboard
 * access for programs, and no style blocked by the page's Content-Security-Policy.
 */

/** @typedef {any} Xterm the vendor bundle has no types */

const ANSI = {
  black: "--term-line",
  red: "--term-red",
  green: "--term-green",
  yellow: "--term-yellow",
  blue: "--term-blue",
  magenta: "--term-magenta",
  cyan: "--term-cyan",
  white: "--term-ink",
  brightBlack: "--term-dim",
  brightRed: "--term-red",
  brightGreen: "--term-green",
  brightYellow: "--term-yellow",
  brightBlue: "--term-blue",
  brightMagenta: "--term-magenta",
  brightCyan: "--term-cyan",
  brightWhite: "--term-strong",
  background: "--term-bg",
  foreground: "--term-ink",
  cursor: "--term-cursor",
  cursorAccent: "--term-bg",
};

/** Reads the terminal's colours: xterm does not read CSS variables. @param {Element} [from] */
function terminalTheme(from = document.documentElement) {
  const style = getComputedStyle(from);
  const read = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    ...Object.fromEntries(Object.entries(ANSI).map(([role, name]) => [role, read(name)])),
    selectionBackground: `${read("--term-blue")}55`,
  };
}

/** @param {string} url */
const isWebLink = (url) => /^https?:\/\//i.test(url);

/**
 * Opens a link a program printed, in a tab that knows nothing of this one.
 * @param {MouseEvent} _event
 * @param {string} url
 */
function openLink(_event, url) {
  if (isWebLink(url)) window.open(url, "_blank", "noopener,noreferrer");
}

/**
 * Loads xterm and makes a screen with search, links and wide characters.
 * @param {{screenReader: boolean, fontSize: number}} options
 */
export async function makeScreen({ screenReader, fontSize }) {
  const xterm = await import("xterm");
  await document.fonts?.load('12px "JetBrains Mono Variable"').catch(() => undefined);
  const term = new xterm.Terminal({
    allowProposedApi: true,
    scrollback: 5000,
    cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"),
    fontSize,
    lineHeight: 1.35,
    screenReaderMode: screenReader,
    theme: terminalTheme(),
    minimumContrastRatio: 4.5,
    macOptionIsMeta: true,
    linkHandler: { activate: openLink, allowNonHttpProtocols: false },
  });
  const fit = new xterm.FitAddon();
  const search = new xterm.SearchAddon();
  term.loadAddon(fit);
  term.loadAddon(search);
  term.loadAddon(new xterm.Unicode11Addon());
  term.unicode.activeVersion = "11";
  term.loadAddon(new xterm.WebLinksAddon(openLink));
  // A program must not read or write the clipboard of the person who watches it (OSC 52).
  term.parser.registerOscHandler(52, () => true);
  boundRepetitions(term);
  return { term, fit, search, loadWebgl: xterm.loadWebgl };
}

/**
 * Runs something in which xterm makes style elements, and gives each the page's nonce: xterm has
 * no option for it, and without it the page's policy blocks them.
 * @template T
 * @param {() => T} run @returns {T}
 */
function withNonce(run) {
  const nonce =
    /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="csp-nonce"]'))
      ?.nonce ?? "";
  const make = document.createElement;
  document.createElement = /** @type {any} */ (
    (/** @type {string} */ name, /** @type {any} */ options) => {
      const element = make.call(document, name, options);
      if (name === "style") element.nonce = nonce;
      return element;
    }
  );
  try {
    return run();
  } finally {
    delete (/** @type {any} */ (document).createElement);
  }
}

/**
 * xterm colours the cells of its own renderer by style attributes on spans, which the page's
 * policy blocks; set through the CSSOM the same style is allowed.
 */
function allowSpanStyles() {
  /** @param {string} name @param {string} value */
  HTMLSpanElement.prototype.setAttribute = function setAttribute(name, value) {
    if (name === "style") this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  };
}

/** What asks for an answer, by its form (xterm, "Control Sequences": DA, DSR, DECRQM, XTVERSION…). */
const ASKING_CSI = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { prefix: "=", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
  { prefix: ">", final: "q" },
  { final: "x" },
  { prefix: "?", final: "u" },
];
/** The reports among the window's orders; the others change nothing that is asked. */
const ASKING_WINDOW = new Set([11, 13, 14, 15, 16, 18, 19, 20, 21]);
const ASKING_DCS = [
  { intermediates: "$", final: "q" },
  { intermediates: "+", final: "q" },
];
/** The palette and the colours of text, ground and cursor. */
const ASKING_OSC = [4, 10, 11, 12];

/**
 * Lets the screen answer what a program asks only while `answers` says so: else each tab that
 * shows the terminal, and each replay, would type an answer into the program.
 * @param {Xterm} term @param {() => boolean} answers
 */
export function answerOnlyIf(term, answers) {
  const silent = () => !answers();
  for (const form of ASKING_CSI) term.parser.registerCsiHandler(form, silent);
  for (const form of ASKING_DCS) term.parser.registerDcsHandler(form, silent);
  term.parser.registerCsiHandler(
    { final: "t" },
    (/** @type {number[]} */ [order]) => silent() && ASKING_WINDOW.has(order),
  );
  for (const name of ASKING_OSC)
    term.parser.registerOscHandler(
      name,
      (/** @type {string} */ text) => silent() && text.split(";").includes("?"),
    );
}

/**
 * Leaves out repetitions (REP) of more signs than the screen has: eight bytes would hold the page
 * up for long, or end xterm's reading with more memory than there is.
 * @param {Xterm} term
 */
export function boundRepetitions(term) {
  term.parser.registerCsiHandler(
    { final: "b" },
    (/** @type {number[]} */ [times]) => times > term.cols * term.rows,
  );
}

/** Opens the screen in `host`. @param {Xterm} term @param {HTMLElement} host */
export function openScreen(term, host) {
  allowSpanStyles();
  withNonce(() => term.open(host));
}

/**
 * Draws with WebGL where the machine can; without it, or when the context is lost, xterm's own
 * renderer goes on (and makes its style elements again).
 * @param {Xterm} term @param {() => Promise<any>} loadWebgl
 * @returns {Promise<{dispose(): void} | null>}
 */
export async function useWebgl(term, loadWebgl) {
  try {
    const WebglAddon = await loadWebgl();
    const addon = new WebglAddon();
    const dispose = () => withNonce(() => addon.dispose());
    addon.onContextLoss(dispose);
    term.loadAddon(addon);
    return { dispose };
  } catch {
    return null;
  }
}
