export { Signal, batch, computed, effect, signal, untracked } from "@preact/signals-core";
