/** Turns values into what people read: numbers, times, context bars. Pure but for the language. */

import { currentLanguage } from "maia/lib/i18n";

/** Most squares a context bar shows. */
const SQUARES = 20;
/** Tokens of one square, at least. */
const SQUARE = 10_000;

/**
 * Returns a count of tokens: 950, 12.3k, 200k, 1.049M; the same in every language.
 * @param {number} count
 */
export function tokens(count) {
  if (count < 1_000) return String(Math.round(count));
  const hundreds = Math.floor((count + 50) / 100);
  if (hundreds < 10_000) return `${trimmed(hundreds / 10, 1)}k`;
  return `${trimmed(Math.floor((count + 500) / 1_000) / 1_000, 3)}M`;
}

/**
 * Returns how many messages are unread: they are counted to 99.
 * @param {number} count
 */
export function unreadCount(count) {
  return count > 99 ? "99+" : String(count);
}

/** @param {number} value @param {number} digits */
function trimmed(value, digits) {
  return value.toFixed(digits).replace(/\.0+$|(\.\d*[1-9])0+$/, "$1");
}

/**
 * Returns the squares of a context bar (guide §4); undefined where the maximum is unknown.
 * @param {number} used
 * @param {number} size
 * @returns {{total: number, on: number, level: "" | "warn" | "crit", label: string,
 *   scale: string} | undefined} `scale` is "" while one square is 10k
 */
export function contextBar(used, size) {
  if (size <= 0) return undefined;
  const scale = Math.max(1, Math.ceil(size / SQUARES / SQUARE)) * SQUARE;
  const share = used / size;
  return {
    total: Math.max(1, Math.round(size / scale)),
    on: used > 0 ? Math.max(1, Math.round(used / scale)) : 0,
    level: share >= 0.85 ? "crit" : share >= 0.6 ? "warn" : "",
    label: `${tokens(used)} / ${tokens(size)} · ${Math.round(share * 100)}%`,
    scale: scale > SQUARE ? `1■ = ${tokens(scale)}` : "",
  };
}

/**
 * Returns a length of time: "0.4 s", "12 s", "3 min 5 s".
 * @param {number} seconds
 */
export function duration(seconds) {
  if (seconds < 9.95)
    return `${seconds.toLocaleString(currentLanguage(), { maximumFractionDigits: 1 })} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const rest = whole % 60;
  return rest ? `${Math.floor(whole / 60)} min ${rest} s` : `${whole / 60} min`;
}

/** Returns the local day of a moment as a key, "2026-11-26". @param {string} at */
export function dayKey(at) {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

/** Returns a day in words: "Thursday 26 November". @param {string} at @param {Date} [now] */
export function dayName(at, now = new Date()) {
  const date = new Date(at);
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return date.toLocaleDateString(currentLanguage() === "fr" ? "fr" : "en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    year,
  });
}

/**
 * Returns how many days ago a moment was, by the calendar.
 * @param {string} at
 * @param {Date} [now]
 */
export function daysAgo(at, now = new Date()) {
  const day = (/** @type {Date} */ date) =>
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((day(now) - day(new Date(at))) / 86_400_000);
}

/**
 * Returns the seconds between two moments; until now where the second is missing.
 * @param {string} from
 * @param {string} [to]
 */
export function secondsBetween(from, to) {
  return Math.max(0, ((to ? Date.parse(to) : Date.now()) - Date.parse(from)) / 1_000);
}

/** Returns the last `count` lines of a text. @param {string} text @param {number} count */
export function lastLines(text, count) {
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let i = 0; i < count; i += 1) {
    at = text.lastIndexOf("\n", at - 1);
    if (at < 0) return text;
  }
  return text.slice(at + 1);
}
