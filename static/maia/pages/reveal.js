// Buttons that show what was typed into a password field.
// @ts-check

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (
  document.querySelectorAll("button[data-reveal]")
)) {
  const field = document.getElementById(button.dataset.reveal ?? "");
  if (!(field instanceof HTMLInputElement)) continue;
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = field.type === "password";
    field.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
  });
  // A browser must not remember a password as ordinary text.
  field.form?.addEventListener("submit", () => {
    field.type = "password";
  });
}
