export {
  Compartment,
  EditorSelection,
  EditorState,
  StateEffect,
  StateField,
} from "@codemirror/state";
export {
  Decoration,
  EditorView,
  crosshairCursor,
  drawSelection,
  dropCursor,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
export { classHighlighter } from "@lezer/highlight";
export {
  highlightSelectionMatches,
  openSearchPanel,
  search,
  searchKeymap,
} from "@codemirror/search";
export {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";

const legacy = async (load, name) => {
  const [{ StreamLanguage, LanguageSupport }, modes] = await Promise.all([
    import("@codemirror/language"),
    load(),
  ]);
  return new LanguageSupport(StreamLanguage.define(modes[name]));
};

const js = (options) => async () =>
  (await import("@codemirror/lang-javascript")).javascript(options);
const LANGUAGES = {
  js: js({ jsx: true }),
  mjs: js({ jsx: true }),
  cjs: js({ jsx: true }),
  jsx: js({ jsx: true }),
  ts: js({ typescript: true }),
  tsx: js({ jsx: true, typescript: true }),
  py: async () => (await import("@codemirror/lang-python")).python(),
  json: async () => (await import("@codemirror/lang-json")).json(),
  html: async () => (await import("@codemirror/lang-html")).html(),
  css: async () => (await import("@codemirror/lang-css")).css(),
  md: async () => (await import("@codemirror/lang-markdown")).markdown(),
  yaml: async () => (await import("@codemirror/lang-yaml")).yaml(),
  xml: async () => (await import("@codemirror/lang-xml")).xml(),
  sql: async () => (await import("@codemirror/lang-sql")).sql(),
  rs: async () => (await import("@codemirror/lang-rust")).rust(),
  go: async () => (await import("@codemirror/lang-go")).go(),
  cpp: async () => (await import("@codemirror/lang-cpp")).cpp(),
  java: async () => (await import("@codemirror/lang-java")).java(),
  php: async () => (await import("@codemirror/lang-php")).php(),
  sh: () => legacy(() => import("@codemirror/legacy-modes/mode/shell"), "shell"),
  toml: () => legacy(() => import("@codemirror/legacy-modes/mode/toml"), "toml"),
  ini: () => legacy(() => import("@codemirror/legacy-modes/mode/properties"), "properties"),
  rb: () => legacy(() => import("@codemirror/legacy-modes/mode/ruby"), "ruby"),
  lua: () => legacy(() => import("@codemirror/legacy-modes/mode/lua"), "lua"),
  dockerfile: () => legacy(() => import("@codemirror/legacy-modes/mode/dockerfile"), "dockerFile"),
  diff: () => legacy(() => import("@codemirror/legacy-modes/mode/diff"), "diff"),
};
const ALIASES = {
  pyi: "py",
  htm: "html",
  djhtml: "html",
  vue: "html",
  scss: "css",
  markdown: "md",
  yml: "yaml",
  svg: "xml",
  c: "cpp",
  h: "cpp",
  hpp: "cpp",
  cc: "cpp",
  bash: "sh",
  zsh: "sh",
  cfg: "ini",
  conf: "ini",
  properties: "ini",
  patch: "diff",
  jsonl: "json",
  webmanifest: "json",
};

/** Returns the language of a file name's extension (without dot), or null if none is known. */
export async function loadLanguage(ext) {
  const key = ext.toLowerCase();
  const load = LANGUAGES[ALIASES[key] ?? key];
  return load ? load() : null;
}

/** Loads side-by-side and in-line comparison. */
export async function loadMerge() {
  const { MergeView, unifiedMergeView } = await import("@codemirror/merge");
  return { MergeView, unifiedMergeView };
}
