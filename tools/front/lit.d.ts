// The types of what vendor/src/lit.js exports under the one name "lit".
export { LitElement, html, nothing, render, svg } from "../../vendor/node_modules/lit/index.js";
export { classMap } from "../../vendor/node_modules/lit/directives/class-map.js";
export { guard } from "../../vendor/node_modules/lit/directives/guard.js";
export { ifDefined } from "../../vendor/node_modules/lit/directives/if-defined.js";
export { keyed } from "../../vendor/node_modules/lit/directives/keyed.js";
export { live } from "../../vendor/node_modules/lit/directives/live.js";
export { createRef, ref } from "../../vendor/node_modules/lit/directives/ref.js";
export { repeat } from "../../vendor/node_modules/lit/directives/repeat.js";
export type { TemplateResult, PropertyValues } from "../../vendor/node_modules/lit/index.js";
