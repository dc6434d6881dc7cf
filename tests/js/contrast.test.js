import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const css = await readFile(new URL("../../static/css/tokens.css", import.meta.url), "utf8");
const TEXT = 4.5;
const MARK = 3;
const GROUNDS = ["canvas", "surface", "raised", "sunken"];

/** @returns {Record<"light" | "dark", Record<string, string>>} */
function tokens() {
  const themes = { light: {}, dark: {} };
  const root = css.slice(css.indexOf(":root {"), css.indexOf("\n}"));
  for (const [, name, light, dark] of root.matchAll(
    /--([\w-]+):\s*light-dark\(\s*(#\w+)\s*,\s*(#\w+)\s*\)/g,
  )) {
    themes.light[name] = light;
    themes.dark[name] = dark;
  }
  for (const [, name, value] of root.matchAll(/--([\w-]+):\s*(#\w+);/g))
    themes.light[name] = themes.dark[name] = value;
  return themes;
}

function luminance(hex) {
  const long =
    hex.length < 6 ? [...hex.slice(1)].map((char) => char + char).join("") : hex.slice(1);
  const [r, g, b] = [0, 2, 4]
    .map((at) => parseInt(long.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const PAIRS = [
  ...GROUNDS.flatMap((ground) =>
    ["ink", "ink-2", "ink-3", "accent", "ok", "warn", "fail", "info", "ask"].map((ink) => [
      ink,
      ground,
      TEXT,
    ]),
  ),
  ...["ok", "warn", "fail", "info", "ask", "accent"].map((name) => [name, `${name}-soft`, TEXT]),
  ...["keyword", "string", "number", "comment", "func", "type", "prop"].flatMap((name) => [
    [`syn-${name}`, "sunken", TEXT],
    [`syn-${name}`, "raised", TEXT],
  ]),
  ["ink", "bubble", TEXT],
  ["ink", "accent-soft", TEXT],
  ["add-ink", "add-bg", TEXT],
  ["del-ink", "del-bg", TEXT],
  ["ink", "add-mark", TEXT],
  ["ink", "del-mark", TEXT],
  ["ink-invert", "primary", TEXT],
  ["on-accent", "accent", TEXT],
  ["on-ask", "ask", TEXT],
  ["on-fail", "fail", TEXT],
  ["term-ink", "term-bg", TEXT],
  ["term-dim", "term-bg", TEXT],
  ["term-red", "term-bg", TEXT],
  ["term-green", "term-bg", TEXT],
  ["term-yellow", "term-bg", TEXT],
  ["term-blue", "term-bg", TEXT],
  ...GROUNDS.flatMap((ground) => [["focus", ground, MARK]]),
  ["line-control", "raised", MARK],
  ["ctx-ok", "surface", MARK],
  ["ctx-warn", "surface", MARK],
  ["ctx-crit", "surface", MARK],
  ["prompt", "surface", MARK],
];

for (const [theme, values] of Object.entries(tokens())) {
  for (const [ink, ground, least] of PAIRS) {
    test(`${theme}: ${ink} on ${ground} reaches ${least}:1`, () => {
      assert.ok(values[ink] && values[ground], `no token ${values[ink] ? ground : ink}`);
      const reached = contrast(values[ink], values[ground]);
      assert.ok(reached >= least, `only ${reached.toFixed(2)}:1`);
    });
  }
}
