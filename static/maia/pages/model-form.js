// The model server's form: shows what the choice needs, tries the endpoint, finds local servers.
// @ts-check

/** @typedef {{ id: string, contextSize: number | null }} Model */
/**
 * @typedef {{ name: string, kind: string, url: string, chatPath: string, modelsPath: string,
 *   models: number, needsKey: boolean }} Found
 */
/** @typedef {{ ok: boolean, ms?: number, models?: Model[], message?: string }} Result */

const form = document.querySelector("form[data-model-form]");
if (form instanceof HTMLFormElement) start(form);

/** @param {HTMLFormElement} form */
function start(form) {
  const texts = textsOf(form);
  const choice = pick(form, "[data-found-choice]");
  const list = pick(form, "[data-found-list]");
  const button = /** @type {HTMLButtonElement} */ (pick(form, "[data-test-button]"));
  button.hidden = choice.hidden = false;

  form.addEventListener("change", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.name === "kind") arrange();
  });
  button.addEventListener("click", () => void test());
  arrange();

  /** Shows the parts that belong to the chosen kind. */
  function arrange() {
    const chosen = form.querySelector("input[name=kind]:checked");
    const found = chosen instanceof HTMLElement && "found" in chosen.dataset;
    pick(form, "[data-endpoint]").hidden = /** @type {any} */ (chosen)?.value === "demo";
    list.hidden = !found;
    if (found && !list.childElementCount) void look();
  }

  async function test() {
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    show(form, "", texts.testing, "");
    const result = await ask(form.dataset.test ?? "", { method: "POST", body: new FormData(form) });
    button.removeAttribute("aria-busy");
    if (!result?.ok) return show(form, "fail", texts.failed, result?.message ?? texts.offline);
    const models = /** @type {Model[]} */ (result.models ?? []);
    const sentence = models.length === 1 ? texts.connectedOne : texts.connected;
    show(form, "ok", fill(sentence, { ms: result.ms, count: models.length }), "");
    offer(form, models);
  }

  async function look() {
    list.replaceChildren(line(texts.looking));
    const answer = await ask(form.dataset.found ?? "", {});
    const servers = /** @type {Found[]} */ (answer?.servers ?? []);
    list.replaceChildren(...servers.map(row));
    const again = element("button", { type: "button", className: "btn s" }, texts.again);
    again.addEventListener("click", () => void look());
    const last = line(servers.length ? "" : texts.none);
    last.append(again);
    list.append(last);
  }

  /** @param {Found} server */
  function row(server) {
    const use = element("button", { type: "button", className: "btn s" }, texts.use);
    use.setAttribute("aria-label", `${texts.use} ${server.name}`);
    use.addEventListener("click", () => {
      const input = form.querySelector("input[data-found]");
      if (input instanceof HTMLInputElement) input.value = server.kind;
      set(form, "url", server.url);
      set(form, "chat_path", server.chatPath);
      set(form, "models_path", server.modelsPath);
      if (server.needsKey) pick(form, "input[name=key]").focus();
      else void test();
    });
    const count = fill(texts.models, { count: server.models });
    const item = line(server.name, `${server.url} · ${server.needsKey ? texts.needsKey : count}`);
    item.append(use);
    return item;
  }
}

/**
 * Offers the models as a list in place of the text field; keeps what was chosen before.
 * @param {HTMLFormElement} form @param {Model[]} models
 */
function offer(form, models) {
  const list = /** @type {HTMLSelectElement} */ (pick(form, "[data-model-list]"));
  const field = /** @type {HTMLInputElement} */ (form.querySelector("input[name=model]"));
  if (!models.length) return;
  const chosen = list.disabled ? field.value : list.value;
  const ids = models.map((model) => model.id);
  if (chosen && !ids.includes(chosen)) ids.unshift(chosen);
  list.replaceChildren(...ids.map((id) => new Option(id, id, false, id === chosen)));
  list.name = "model";
  list.disabled = list.hidden = false;
  field.disabled = field.hidden = true;
  pick(form, "[data-model-label]").setAttribute("for", list.id);
  const context = form.querySelector("input[name=context_size]");
  const suggest = () => {
    const size = models.find((model) => model.id === list.value)?.contextSize;
    if (context instanceof HTMLInputElement) context.placeholder = size ? String(size) : "";
  };
  list.onchange = suggest;
  suggest();
}

/** @param {HTMLFormElement} form @param {string} look @param {string} title @param {string} text */
function show(form, look, title, text) {
  const box = pick(form, "[data-result]");
  box.hidden = false;
  pick(box, ".note").className = `note ${look}`;
  const use = box.querySelector("use");
  const icon = { ok: "check", fail: "fail" }[look] ?? "info";
  use?.setAttribute("href", (use.getAttribute("href") ?? "").replace(/#.*/, `#i-${icon}`));
  pick(box, "[data-result-title]").textContent = title;
  pick(box, "[data-result-text]").textContent = text;
}

/** @param {string} url @param {RequestInit} options @returns {Promise<any>} */
async function ask(url, options) {
  try {
    const answer = await fetch(url, { ...options, headers: { Accept: "application/json" } });
    return await answer.json();
  } catch {
    return null;
  }
}

/** @param {Element} root @param {string} selector @returns {HTMLElement} */
function pick(root, selector) {
  return /** @type {HTMLElement} */ (root.querySelector(selector));
}

/** @param {HTMLFormElement} form @param {string} name @param {string} value */
function set(form, name, value) {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) field.value = value;
}

/** @param {string} strong @param {string} [hint] */
function line(strong, hint = "") {
  const item = element("div", { className: "set-row" });
  const text = element("div", {});
  text.append(element("strong", {}, strong), element("p", { className: "hint mono" }, hint));
  item.append(text);
  return item;
}

/** @param {string} tag @param {Record<string, string>} properties @param {string} [text] */
function element(tag, properties, text = "") {
  return Object.assign(document.createElement(tag), properties, { textContent: text });
}

/** @param {string} sentence @param {Record<string, unknown>} values */
function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** @param {HTMLFormElement} form @returns {Record<string, string>} */
function textsOf(form) {
  return /** @type {Record<string, string>} */ ({ ...pick(form, "[data-texts]").dataset });
}
