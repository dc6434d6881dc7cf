// The rules pages: dialogs open over the page, the list narrows while one types.
// @ts-check

for (const opener of /** @type {NodeListOf<HTMLElement>} */ (
  document.querySelectorAll("[data-dialog]")
)) {
  opener.addEventListener("click", (event) => {
    const dialog = document.getElementById(opener.dataset.dialog ?? "");
    if (!(dialog instanceof HTMLDialogElement)) return;
    event.preventDefault();
    dialog.showModal();
    dialog.querySelector("textarea")?.focus();
  });
}

for (const dialog of document.querySelectorAll("dialog")) {
  const given = dialog.hasAttribute("data-open");
  for (const closer of dialog.querySelectorAll("[data-close]")) {
    closer.addEventListener("click", (event) => {
      if (given) return; // the link leads back to the page without the form
      event.preventDefault();
      dialog.close();
    });
  }
  if (!given) continue;
  dialog.close();
  dialog.showModal();
  dialog.querySelector("textarea")?.focus();
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    dialog.querySelector("a")?.click();
  });
}

for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (
  document.querySelectorAll("[data-filters]")
)) {
  const rows = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(`#${field.dataset.filters} [data-line]`)
  );
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = (row.textContent ?? "").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}

for (const choice of /** @type {NodeListOf<HTMLSelectElement>} */ (
  document.querySelectorAll("select[data-submits]")
)) {
  choice.addEventListener("change", () => choice.form?.requestSubmit());
}

// While a rule is written, the dialog tells what it would have made of the last days' calls.
for (const place of /** @type {NodeListOf<HTMLElement>} */ (
  document.querySelectorAll("[data-preview]")
)) {
  const form = /** @type {HTMLFormElement} */ (place.closest("form"));
  const text = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("text"));
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (
    form.querySelectorAll("[data-no-script]")
  ))
    button.hidden = true;
  let wait = 0;
  /** @type {AbortController | undefined} */
  let last;
  const ask = async () => {
    last?.abort();
    if (!text.value.trim()) {
      place.replaceChildren();
      return;
    }
    last = new AbortController();
    try {
      const answer = await fetch(place.dataset.preview ?? "", {
        method: "POST",
        body: new FormData(form),
        signal: last.signal,
      });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      place.replaceChildren(...page.body.childNodes);
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") place.replaceChildren();
    }
  };
  form.addEventListener("input", () => {
    form.querySelector('[role="alert"]')?.remove(); // it was about the text before
    clearTimeout(wait);
    wait = window.setTimeout(ask, 500);
  });
  if (text.value.trim() && !place.childElementCount) ask();
}
