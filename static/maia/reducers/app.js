/** Folds every frame of the socket into the state of the page. */

import { applyChannel, fromSnapshot, stillCurrent, withReply } from "maia/reducers/channel";
import { withChanged, withUnread } from "maia/reducers/lists";
import { GAP, prepend } from "maia/reducers/messages";

/**
 * @typedef {object} State
 * @property {import("maia/frames").Person | undefined} user
 * @property {boolean} administrator
 * @property {string} release what the server runs now
 * @property {import("maia/frames").ChannelInfo[] | undefined} channels undefined until told
 * @property {import("maia/frames").WorkspaceInfo[] | undefined} workspaces undefined until told
 * @property {Record<string, import("maia/reducers/channel").Channel>} open
 * @property {Record<string, {state: string, error?: string}>} agents
 * @property {string[]} away what the server cannot reach now
 */

/** @typedef {{state: State, gap?: string}} Step `gap` names the channel to subscribe to again. */

/** @returns {State} */
export function emptyState() {
  return {
    user: undefined,
    administrator: false,
    release: "",
    channels: undefined,
    workspaces: undefined,
    open: {},
    agents: {},
    away: [],
  };
}

/** @type {Record<string, (state: State, frame: any) => Step>} */
const RULES = {
  hello: (state, { user, administrator, release }) => ({
    state: { ...state, user, administrator, release, away: [] },
  }),
  "channels:changed": (state, { channels, workspaces }) => ({
    state: withChannels({ ...state, workspaces: workspaces ?? state.workspaces }, channels),
  }),
  "channel:changed": (state, frame) => {
    const { channels, workspaces, user } = state;
    if (!channels || !workspaces || !user) return { state };
    return { state: withChannels(state, withChanged(channels, workspaces, frame, user.id)) };
  },
  "channel:unread": (state, frame) =>
    state.channels ? { state: withChannels(state, withUnread(state.channels, frame)) } : { state },
  "channel:snapshot": (state, frame) => {
    const known = state.open[frame.channel.id];
    return { state: withOpen(state, frame.channel.id, fromSnapshot(frame, known)) };
  },
  "channel:current": (state, frame) => {
    const known = state.open[frame.channel];
    if (!known) return { state };
    const after = stillCurrent(known, frame);
    return after === GAP
      ? { state, gap: frame.channel }
      : { state: withOpen(state, frame.channel, after) };
  },
  "channel:reset": (state, { channel }) => {
    const known = state.open[channel];
    if (!known) return { state };
    const forgotten = { ...known, messages: [], permissions: [], seq: -1, stale: true };
    return { state: withOpen(state, channel, forgotten), gap: channel };
  },
  "system:reply": (state, { channel, reply }) => {
    const known = state.open[channel];
    return known ? { state: withOpen(state, channel, withReply(known, reply)) } : { state };
  },
  "channel:gone": (state, { channel }) => ({ state: withoutChannel(state, channel) }),
  "site:state": (state, { away }) => ({ state: { ...state, away } }),
  "agent:state": (state, { agent, state: now, error }) => ({
    state: { ...state, agents: { ...state.agents, [agent]: { state: now, error } } },
  }),
};

/**
 * Returns the state after a frame. Frames of unknown types change nothing.
 * @param {State} state
 * @param {any} frame
 * @returns {Step}
 */
export function reduce(state, frame) {
  const rule = RULES[frame.type];
  if (rule) return rule(state, frame);
  const channel = typeof frame.channel === "string" ? state.open[frame.channel] : undefined;
  if (!channel || channel.stale) return { state };
  const after = applyChannel(channel, frame);
  if (after === GAP) {
    return {
      state: withOpen(state, frame.channel, { ...channel, stale: true }),
      gap: frame.channel,
    };
  }
  return after === channel ? { state } : { state: withOpen(state, frame.channel, after) };
}

/**
 * Puts an older page of messages into an open channel.
 * @param {State} state
 * @param {string} id
 * @param {{messages: import("maia/frames").Message[], more: boolean}} page
 * @returns {State}
 */
export function withOlder(state, id, { messages, more }) {
  const channel = state.open[id];
  if (!channel) return state;
  return withOpen(state, id, { ...channel, messages: prepend(messages, channel.messages), more });
}

/**
 * Marks open channels as awaiting a snapshot: nothing before it counts.
 * @param {State} state
 * @returns {State}
 */
export function allStale(state) {
  const open = Object.fromEntries(
    Object.entries(state.open).map(([id, channel]) => [id, { ...channel, stale: true }]),
  );
  return { ...state, open };
}

/**
 * @param {State} state
 * @param {string} id
 * @param {import("maia/reducers/channel").Channel} channel
 */
function withOpen(state, id, channel) {
  return { ...state, open: { ...state.open, [id]: channel } };
}

/** @param {State} state @param {string} id @returns {State} */
export function withoutChannel(state, id) {
  const { [id]: _gone, ...open } = state.open;
  return { ...state, open, channels: state.channels?.filter((each) => each.id !== id) };
}

/**
 * What is new in the list is true of open channels too.
 * @param {State} state
 * @param {import("maia/frames").ChannelInfo[]} channels
 * @returns {State}
 */
function withChannels(state, channels) {
  const before = new Set(state.channels);
  const open = { ...state.open };
  for (const info of channels)
    if (open[info.id] && !before.has(info)) open[info.id] = { ...open[info.id], info };
  return { ...state, channels, open };
}
