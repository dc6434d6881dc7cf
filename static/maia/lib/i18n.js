/** Words in the page's language, from JSON catalogues; one key list for every language. */

import { isolated, shownPath } from "maia/lib/visible";

/** Parameters that are paths: each folder stands in its place. */
const PATHS = new Set(["path", "folder", "file"]);

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
 * Returns the sentence of `key`, with `{name}` replaced; what runs from right
 * to left turns nothing around it. A sentence with plural forms is chosen
 * by the parameter `n` (or `count`). An unknown key is shown as it is.
 * @param {string} key
 * @param {Record<string, string | number>} [params]
 * @returns {string}
 */
export function t(key, params = {}) {
  return sentence(key, params).replace(/\{(\w+)\}/g, (whole, name) =>
    shown(name, params[name], whole),
  );
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
      if (!name || !(name in params)) return piece;
      return typeof params[name] === "string" ? shown(name, params[name], piece) : params[name];
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

/** @param {string} name @param {any} value @param {string} fallback */
function shown(name, value, fallback) {
  if (value === undefined) return fallback;
  if (typeof value === "number") return value.toLocaleString(language);
  return PATHS.has(name) ? shownPath(String(value)) : isolated(String(value));
}
