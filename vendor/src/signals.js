export { batch, computed, effect, Signal, signal, untracked } from "@preact/signals-core";
