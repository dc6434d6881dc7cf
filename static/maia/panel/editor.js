/**
 * Makes a CodeMirror view the way MAIA wants it: tokens for colours, read-only until switched.
 */

/** Colours come from the tokens, so the theme follows the page without a change here. */
const THEME = {
  "&": {
    height: "100%",
    fontSize: ".75rem",
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
  },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.7",
    fontFeatureSettings: '"calt" 0',
    overscrollBehavior: "contain",
  },
  ".cm-content": { padding: ".5rem 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 1rem 0 .25rem" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--ink-3)",
    border: "0",
    fontSize: ".6875rem",
  },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.5rem", padding: "0 .625rem 0 .5rem" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-activeLineGutter": { color: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-cursor": { borderInlineStartColor: "var(--accent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": {
    backgroundColor: "color-mix(in oklab, var(--accent) 26%, transparent) !important",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--accent-soft)" },
  ".cm-matchingBracket": {
    backgroundColor: "var(--selected)",
    outline: "1px solid var(--line-control)",
  },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)", outline: "1px solid var(--warn-line)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--warn-line)" },
  ".cm-panels": {
    backgroundColor: "var(--canvas)",
    color: "var(--ink)",
    borderColor: "var(--line)",
  },
  ".cm-panel.cm-search": {
    padding: ".5rem 2rem .5rem .75rem",
    fontFamily: "var(--sans)",
    fontSize: "var(--t-20)",
    lineHeight: "2",
  },
  ".cm-panel.cm-search label": { fontSize: "inherit", whiteSpace: "nowrap" },
  ".cm-panel.cm-search input[type=checkbox]": { margin: "0 .25rem 0 0", verticalAlign: "-.125em" },
  ".cm-panel.cm-search [name=close]": {
    fontSize: "1rem",
    padding: ".25rem .625rem",
    color: "var(--ink-2)",
  },
  ".cm-textfield": {
    fontSize: "inherit",
    lineHeight: "1.4",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line-control)",
    borderRadius: "var(--r2)",
    padding: ".25rem .5rem",
  },
  ".cm-button": {
    fontSize: "inherit",
    lineHeight: "1.4",
    backgroundImage: "none",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--r2)",
    padding: ".25rem .5rem",
  },
  ".cm-foldPlaceholder": { backgroundColor: "var(--hover)", border: "0", color: "var(--ink-2)" },
};

/**
 * Makes a view in `parent`.
 * @param {HTMLElement} parent
 * @param {{text: string, extension: string, editable: boolean, label: string, phrases:
 *   Record<string, string>, onPlace: (line: number, column: number) => void}} options
 */
export async function makeEditor(parent, { text, extension, editable, label, phrases, onPlace }) {
  const cm = await import("codemirror");
  const language = new cm.Compartment();
  const writing = new cm.Compartment();
  const view = new cm.EditorView({
    parent,
    state: cm.EditorState.create({
      doc: text,
      extensions: [
        ...look(cm, phrases),
        writing.of(writable(cm, editable, label)),
        language.of([]),
        cm.EditorView.updateListener.of((/** @type {any} */ update) => {
          if (update.selectionSet || update.docChanged) onPlace(...place(update.state));
        }),
      ],
    }),
  });
  cm.loadLanguage(extension)
    .then(
      (/** @type {any} */ found) =>
        found && view.dispatch({ effects: language.reconfigure(found) }),
    )
    .catch(() => undefined);
  return {
    view,
    /** @param {boolean} on */
    setEditable: (on) => view.dispatch({ effects: writing.reconfigure(writable(cm, on, label)) }),
    /** Puts `line` (from 1) in the middle. @param {number} line */
    showLine: (line) => {
      const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      view.dispatch({
        selection: { anchor: from },
        effects: cm.EditorView.scrollIntoView(from, { y: "center" }),
      });
    },
  };
}

/** @param {any} cm @param {Record<string, string>} phrases */
function look(cm, phrases) {
  const nonce =
    /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="csp-nonce"]'))
      ?.nonce ?? "";
  return [
    cm.EditorView.cspNonce.of(nonce),
    cm.EditorView.theme(THEME),
    cm.syntaxHighlighting(cm.classHighlighter),
    cm.lineNumbers(),
    cm.highlightSpecialChars(),
    cm.drawSelection(),
    cm.highlightActiveLine(),
    cm.highlightActiveLineGutter(),
    cm.bracketMatching(),
    cm.search({ top: true }),
    cm.highlightSelectionMatches(),
    cm.EditorState.tabSize.of(4),
    cm.EditorState.phrases.of(phrases),
    cm.keymap.of([...cm.searchKeymap, ...cm.defaultKeymap]),
  ];
}

/**
 * A file that is only read still takes the focus, so that it can be scrolled and searched by keys.
 * @param {any} cm @param {boolean} editable @param {string} label
 */
function writable(cm, editable, label) {
  const attributes = {
    "aria-label": label,
    ...(editable ? {} : { tabindex: "0", "aria-readonly": "true" }),
  };
  return [
    cm.EditorState.readOnly.of(!editable),
    cm.EditorView.editable.of(editable),
    cm.EditorView.contentAttributes.of(attributes),
  ];
}

/** @param {any} state @returns {[number, number]} line and column of the caret, from 1 */
function place(state) {
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  return [line.number, head - line.from + 1];
}
