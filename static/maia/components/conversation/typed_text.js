/** What a person typed, with its mentions, code, files and links. */
import { html } from "lit";
import { pathIn, userPieces } from "maia/lib/user_text";

/**
 * Draws what a person typed.
 * @param {string} text @param {Set<string>} agents @param {(path: string) => void} open
 * @param {Set<string>} [files] paths that were joined
 */
export function drawUserText(text, agents, open, files = new Set()) {
  return userPieces(text, agents, files).map((piece) => {
    switch (piece.kind) {
      case "mention":
        return html`<span class="mention">${piece.text}</span>`;
      case "code":
        return html`<code>${piece.text}</code>`;
      case "block":
        return html`<pre tabindex="0">${piece.text}</pre>`;
      case "file":
        return html`<a class="fileref" href="#" @click=${(/** @type {Event} */ event) => {
          event.preventDefault();
          open(pathIn(piece.text));
        }}>${piece.text}</a>`;
      case "link":
        return html`<a href=${piece.text} target="_blank"
          rel="noopener noreferrer">${piece.text}</a>`;
      default:
        return piece.text;
    }
  });
}
