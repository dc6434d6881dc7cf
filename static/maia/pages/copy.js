// Buttons that copy the text of a field.
// @ts-check

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (
  document.querySelectorAll("button[data-copy]")
)) {
  const field = document.getElementById(button.dataset.copy ?? "");
  const label = button.querySelector("span");
  if (!(field instanceof HTMLInputElement) || !label) continue;
  field.addEventListener("focus", () => field.select());
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.focus();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand("copy"); // without TLS there is no other way
    }
    label.textContent = button.dataset.copied ?? "";
  });
}
