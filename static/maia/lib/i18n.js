/** Words in the page's language, from JSON catalogues; one key list for every language. */

/** @type {Record<string, any>} */
let words = {};
let language = "en";
let plurals = new Intl.PluralRules("en");

/** Returns the language of the page, "en" or "fr". */
export function currentLanguage() {
  return language;
}

/**
 * Sets the words; the page calls it once before it draws anything.
 * @param {string} code
 * @param {Record<string, any>} catalogue
 */
export function setWords(code, catalogue) {
  language = code;
  words = catalogue;
  plurals = new Intl.PluralRules(code);
}

/**
 * Loads the catalogues `names` for the language of the page (`<html lang>`).
 * @param {string[]} [names]
 */
export async function loadWords(names = ["app", "panel", "rules"]) {
  const code = document.documentElement.lang.startsWith("fr") ? "fr" : "en";
  const parts = await Promise.all(names.map((name) => loadCatalogue(`${name}.${code}`)));
  setWords(code, Object.assign({}, ...parts));
}

/** @param {string} name */
async function loadCatalogue(name) {
  const answer = await fetch(new URL(`../i18n/${name}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`no catalogue ${name}: ${answer.status}`);
  return answer.json();
}

/**
 * Whether there are words for `key`: servers may know codes that this page does not.
 * @param {string} key
 */
export function hasWords(key) {
  return key in words;
}

/**
 * Returns the sentence of `key`, with `{name}` replaced. A sentence with plural forms is chosen
 * by the parameter `n` (or `count`). An unknown key is shown as it is.
 * @param {string} key
 * @param {Record<string, string | number>} [params]
 * @returns {string}
 */
export function t(key, params = {}) {
  return sentence(key, params).replace(/\{(\w+)\}/g, (whole, name) => shown(params[name], whole));
}

/**
 * Returns the sentence of `key` as a list of pieces, so that a parameter may be a template.
 * @param {string} key
 * @param {Record<string, any>} params
 * @returns {any[]}
 */
export function pieces(key, params) {
  return sentence(key, params)
    .split(/(\{\w+\})/)
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      return name && name in params ? params[name] : piece;
    });
}

/** @param {string} key @param {Record<string, any>} params @returns {string} */
function sentence(key, params) {
  const entry = words[key];
  if (entry === undefined) return key;
  if (typeof entry === "string") return entry;
  return entry[plurals.select(Number(params.n ?? params.count ?? 0))] ?? entry.other;
}

/**
 * A sentence of the server in the reader's language.
 * @param {{message: string, words?: Record<string, string> | null}} sentence
 */
export const inWords = ({ message, words }) => words?.[language] ?? message;

/** Returns a moment as the time of day, "09:12". @param {string | number | Date} at */
export function time(at) {
  return new Date(at).toLocaleTimeString(language, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}

/** @param {any} value @param {string} fallback */
function shown(value, fallback) {
  if (value === undefined) return fallback;
  return typeof value === "number" ? value.toLocaleString(language) : String(value);
}
