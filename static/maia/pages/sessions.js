/** The table of sessions: all at once, the Delete key, Esc while renaming. */
import { composes } from "maia/lib/keys";

const boxes = () =>
  /** @type {HTMLInputElement[]} */ ([
    ...document.querySelectorAll("input[name=session][form=chosen]:not(:disabled)"),
  ]);
const all = /** @type {HTMLInputElement | null} */ (document.getElementById("all"));
const form = /** @type {HTMLFormElement | null} */ (document.getElementById("chosen"));

/** Shows which rows are ticked. */
function settle() {
  const ticked = boxes().filter((box) => box.checked);
  for (const box of boxes()) box.closest("tr")?.toggleAttribute("aria-selected", box.checked);
  for (const row of document.querySelectorAll("tr[aria-selected]"))
    row.setAttribute("aria-selected", "true");
  if (!all) return;
  all.checked = ticked.length > 0 && ticked.length === boxes().length;
  all.indeterminate = ticked.length > 0 && !all.checked;
}

if (all && boxes().length) {
  all.hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes()) box.checked = all.checked;
    settle();
  });
}
document.addEventListener("change", settle);
document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (
    event.key === "Delete" &&
    target.matches("input[type=checkbox]") &&
    boxes().some((box) => box.checked)
  )
    form?.requestSubmit();
  if (event.key === "Escape" && !composes(event) && target.matches("input[name=name]"))
    /** @type {HTMLElement | null} */ (document.querySelector("[data-escape]"))?.click();
});
document.getElementById("sure")?.focus();
settle();
