/**
 * What the language of a file is called, and the extension under which its colours are loaded.
 */

/** @type {Record<string, string>} by extension; language names are not translated */
const NAMES = {
  py: "Python",
  pyi: "Python",
  js: "JavaScript",
  mjs: "JavaScript",
  cjs: "JavaScript",
  jsx: "JavaScript",
  ts: "TypeScript",
  tsx: "TypeScript",
  json: "JSON",
  jsonl: "JSON",
  webmanifest: "JSON",
  html: "HTML",
  htm: "HTML",
  djhtml: "HTML",
  vue: "Vue",
  css: "CSS",
  scss: "SCSS",
  md: "Markdown",
  markdown: "Markdown",
  yaml: "YAML",
  yml: "YAML",
  xml: "XML",
  svg: "SVG",
  sql: "SQL",
  rs: "Rust",
  go: "Go",
  c: "C",
  h: "C",
  cpp: "C++",
  hpp: "C++",
  cc: "C++",
  java: "Java",
  php: "PHP",
  sh: "Shell",
  bash: "Shell",
  zsh: "Shell",
  toml: "TOML",
  ini: "INI",
  cfg: "INI",
  conf: "INI",
  properties: "INI",
  rb: "Ruby",
  lua: "Lua",
  dockerfile: "Dockerfile",
  diff: "Diff",
  patch: "Diff",
};
/** @type {Record<string, string>} whole file names that say their language without an extension */
const FILES = {
  dockerfile: "dockerfile",
  containerfile: "dockerfile",
  ".bashrc": "sh",
  ".profile": "sh",
  ".env": "sh",
};
const IMAGES = new Set(["png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "ico", "avif"]);

/** @param {string} path @returns {string} lower case, without the dot; "" without one */
export function extension(path) {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (FILES[name]) return FILES[name];
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1) : "";
}

/** @param {string} path @returns {string} the language's name, "" when unknown */
export const languageName = (path) => NAMES[extension(path)] ?? "";

/** @param {string} path */
export const isImage = (path) => IMAGES.has(extension(path));
