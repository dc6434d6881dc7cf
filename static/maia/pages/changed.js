// Shows a form's button only once something in it differs from what the server knows.
// @ts-check

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (
  document.querySelectorAll("form[data-changed]")
)) {
  const button = form.querySelector("button[type=submit]");
  if (!(button instanceof HTMLButtonElement)) continue;
  const known = values(form);
  const look = () => {
    button.hidden = values(form) === known;
  };
  look();
  form.addEventListener("input", look);
  // A page that comes back from the browser's cache may have kept another choice.
  window.addEventListener("pageshow", look);
}

/** @param {HTMLFormElement} form */
function values(form) {
  return JSON.stringify([...new FormData(form)]);
}
