/** Folds the frames of the list of conversations; the server's agents/protocol/lists.py does too. */

/** Unread messages are counted so far; more are as many. */
export const MOST_UNREAD = 100;

/** @typedef {import("maia/frames").ChannelInfo} ChannelInfo */
/** @typedef {import("maia/frames").ChannelChanged} ChannelChanged */
/** @typedef {import("maia/frames").WorkspaceInfo} WorkspaceInfo */

/**
 * Returns the list after one conversation of it is new, or changed; the same list where it is of a
 * workspace that this person does not reach.
 * @param {ChannelInfo[]} channels oldest first
 * @param {WorkspaceInfo[]} workspaces
 * @param {ChannelChanged} frame
 * @param {number} me
 */
export function withChanged(channels, workspaces, { channel, position, arrivals }, me) {
  const workspace = workspaces.find((each) => each.id === channel.workspace);
  if (!workspace) return channels;
  const at = channels.findIndex((each) => each.id === channel.id);
  const known = channels[at] ?? { unread: 0, position: 0 };
  const fresh = arrivals.filter((each) => each.position > known.position && each.author !== me);
  const info = {
    ...channel,
    waiting: channel.waiting.length,
    role: workspace.role,
    mayAnswer: workspace.mayAnswer,
    forMe: forMe(channel.waiting, workspace, me),
    unread: Math.min(MOST_UNREAD, known.unread + fresh.length),
    position: Math.max(position, known.position),
  };
  if (at >= 0) return channels.with(at, info);
  const before = channels.filter((each) => each.id < info.id);
  return [...before, info, ...channels.slice(before.length)];
}

/**
 * Returns the list after its server counted anew what this person has not read of a conversation.
 * @param {ChannelInfo[]} channels
 * @param {import("maia/frames").ChannelUnread} frame
 */
export function withUnread(channels, { channel, position, unread }) {
  return channels.map((each) => (each.id === channel ? { ...each, position, unread } : each));
}

/**
 * How many requests wait for the answer of one person, of those that wait at all.
 * @param {number[]} starters whose messages caused them
 * @param {WorkspaceInfo} workspace
 * @param {number} me
 */
function forMe(starters, { role, mayAnswer }, me) {
  if (mayAnswer) return starters.length;
  return role === "viewer" ? 0 : starters.filter((each) => each === me).length;
}
