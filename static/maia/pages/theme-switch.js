// Changes the theme without a reload, so that nothing typed is lost; the server keeps the choice.
// @ts-check

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

/** @returns {'light' | 'dark'} the theme that is seen now */
function seen() {
  const chosen = root.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return dark.matches ? "dark" : "light";
}

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (
  document.querySelectorAll("form[data-theme-switch]")
)) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const theme = seen() === "dark" ? "light" : "dark";
    root.dataset.theme = theme;
    const body = new FormData(form);
    body.set("theme", theme);
    void fetch(form.action, { method: "POST", body, redirect: "manual", keepalive: true });
  });
}
