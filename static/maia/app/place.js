/** Place: the workspace and the conversation that are shown, in step with the address bar. */

import { keep, kept } from "maia/lib/kept";
import { pathOf, placeOf } from "maia/page";
import { signal } from "signals";

export class Place {
  /** The id of the workspace that is shown. */
  workspaceId = signal("");
  /** The id of the conversation that is open, "" for none. */
  channelId = signal("");
  /** Whether the person left the conversation (/exit) and opened no other. */
  #left = false;
  /** The conversation that is open and was in the list. */
  #seen = "";

  /**
   * @param {object} parts
   * @param {import("maia/page").Page} parts.page
   * @param {import("maia/store").Store} parts.store
   * @param {() => void} [parts.onGone] what was open is not there any more
   * @param {Pick<Location, "pathname">} [parts.address]
   * @param {Pick<History, "pushState" | "replaceState">} [parts.past]
   */
  constructor({ page, store, onGone = () => undefined, address = location, past = history }) {
    this.page = page;
    this.store = store;
    this.onGone = onGone;
    this.address = address;
    this.past = past;
  }

  /** Opens what the address names, else the workspace that the server chose. */
  start() {
    const { workspace, channel } = placeOf(this.address.pathname);
    this.workspaceId.value = this.workspaces.some((each) => each.id === workspace)
      ? workspace
      : this.page.workspace;
    if (channel) this.#open(channel);
    this.store.watch(this.workspaceId.value);
  }

  /** The workspaces this person reaches: those of the socket once it told. */
  get workspaces() {
    return this.store.state.value.workspaces ?? this.page.workspaces;
  }

  get workspace() {
    return this.workspaces.find((each) => each.id === this.workspaceId.value);
  }

  /** The conversations of this workspace; undefined until the server told. */
  get channels() {
    return this.store.state.value.channels?.filter(
      (each) => each.workspace === this.workspaceId.value,
    );
  }

  /** The state of the open conversation; undefined until its snapshot came. */
  get channel() {
    return this.store.state.value.open[this.channelId.value];
  }

  /** What is known about the open conversation before its snapshot too. */
  get info() {
    return this.channel?.info ?? this.channels?.find((each) => each.id === this.channelId.value);
  }

  /**
   * Opens a conversation and puts its address into the bar.
   * @param {string} id
   * @param {{replace?: boolean}} [options]
   */
  go(id, { replace = false } = {}) {
    const workspace =
      this.store.state.value.channels?.find((each) => each.id === id)?.workspace ??
      this.workspaceId.value;
    this.#enter(workspace);
    this.#left = false;
    this.#open(id);
    const path = pathOf(workspace, id);
    if (this.address.pathname !== path)
      this.past[replace ? "replaceState" : "pushState"]({}, "", path);
  }

  /** Shows another workspace; `settle` chooses what to open in it. @param {string} id */
  switch(id) {
    this.#enter(id);
    this.#left = false;
    this.#open("");
    this.past.pushState({}, "", pathOf(id));
  }

  /** Leaves the conversation: nothing is open until one is chosen. */
  leave() {
    this.#left = true;
    this.#open("");
    this.past.pushState({}, "", pathOf(this.workspaceId.value));
  }

  /** Follows the address bar: back and forward. */
  follow() {
    const { workspace, channel } = placeOf(this.address.pathname);
    if (workspace) this.#enter(workspace);
    this.#open(channel);
  }

  /**
   * Returns what to open when the address names nothing, or when what was open is gone; "" for
   * nothing.
   */
  settle() {
    this.#leaveGoneWorkspace();
    const { channels } = this;
    const now = this.channelId.value;
    if (!channels || !this.workspaceId.value) return "";
    const known = (/** @type {string} */ id) => channels.some((each) => each.id === id);
    const gone = now !== "" && this.#seen === now && !known(now);
    if (known(now)) this.#seen = now;
    if ((now || this.#left) && !gone) return "";
    if (now) this.onGone();
    this.channelId.value = "";
    const last = kept(`channel-${this.workspaceId.value}`);
    const latest =
      channels.toSorted((a, b) => (a.lastActivity < b.lastActivity ? 1 : -1))[0]?.id ?? "";
    return known(last) ? last : latest;
  }

  /** A workspace that is not theirs any more gives way to the first that is. */
  #leaveGoneWorkspace() {
    const told = this.store.state.value.workspaces;
    if (!told || told.some((each) => each.id === this.workspaceId.value)) return;
    const next = told[0]?.id ?? "";
    if (next === this.workspaceId.value) return;
    if (this.workspaceId.value) this.onGone();
    this.#enter(next);
    this.#open("");
    this.past.replaceState({}, "", next ? pathOf(next) : "/");
  }

  /** @param {string} id */
  #enter(id) {
    if (id === this.workspaceId.value) return;
    this.workspaceId.value = id;
    if (id) this.store.watch(id);
  }

  /** @param {string} id */
  #open(id) {
    this.channelId.value = id;
    if (!id) return;
    keep(`channel-${this.workspaceId.value}`, id);
    this.store.open(id);
  }
}
