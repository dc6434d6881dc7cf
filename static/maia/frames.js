/**
 * The WebSocket language as types: every frame of the server (agents/protocol/frames.py).
 * Fields that are None on the server are left out on the wire.
 *
 * @typedef {{id: number, username: string, name: string}} Person
 * @typedef {{agent: string, path: string}} Attachment
 * @typedef {{commands: number, fileOps: number, skills: number, seconds: number,
 *   inputTokens: number, outputTokens: number}} Counters
 * @typedef {{code: string, message: string, details: string}} MessageError
 * @typedef {{path: string, oldText: string, newText: string, newFile: boolean}} Diff
 * @typedef {{path: string, line?: number}} Location
 *
 * @typedef {{type: "text", text: string, interrupted: boolean}} TextPart
 * @typedef {{type: "thought", text: string, seconds?: number, interrupted: boolean}} ThoughtPart
 * @typedef {"read"|"edit"|"delete"|"move"|"search"|"execute"|"think"|"fetch"|"other"} ToolKind
 * @typedef {"pending"|"in_progress"|"completed"|"failed"} ToolStatus
 * @typedef {{type: "tool", rev: number, id: string, name: string, title: string, kind: ToolKind,
 *   status: ToolStatus, input: string, output: string, locations: Location[], diffs: Diff[],
 *   startedAt?: string, endedAt?: string}} ToolPart
 * @typedef {{content: string, status: "pending"|"in_progress"|"completed", active: string}} PlanEntry
 * @typedef {{type: "plan", rev: number, entries: PlanEntry[]}} PlanPart
 * @typedef {TextPart|ThoughtPart|ToolPart|PlanPart} Part
 *
 * @typedef {{id: string, channel: string, position: number, createdAt: string,
 *   role: "user"|"agent"|"system", agent?: string, author?: Person, parts: Part[], done: boolean,
 *   queued: boolean, stopReason?: string, error?: MessageError, code?: string,
 *   attachments: Attachment[], counters?: Counters, clientRef?: string}} Message
 * @typedef {{id: string, workspace: string, name: string, description: string, direct?: string,
 *   members: string[], role: "owner"|"editor"|"viewer", busy: boolean, waiting: number,
 *   unread: number, lastActivity: string}} ChannelInfo
 *
 * @typedef {{id: string, kind: "allow_once"|"allow_always"|"reject_once"|"stop"}} Option
 * @typedef {{rule: string, covers: string}} RuleOffer
 * @typedef {{rule?: string, scope?: string, part: string, sentence: string}} Reason
 * @typedef {{option: string, by: Person, at: string, rule?: string, scope?: string,
 *   instruction: string}} Answer
 * @typedef {"pending"|"answered"|"cancelled"|"expired"} RequestState
 * @typedef {{id: string, channel: string, agent: string, messageId: string, toolCall: ToolPart,
 *   folder: string, options: Option[], offers: RuleOffer[], reason: Reason, rejections: number,
 *   starter: Person, createdAt: string, state: RequestState, answer?: Answer}} PermissionRequest
 *
 * @typedef {{used: number, size: number}} Usage
 * @typedef {{agent: string, messageId?: string, startedAt: string,
 *   waitsFor: "model"|"tool"|"permission", starter?: Person}} Answering
 *
 * @typedef {{type: "hello", user: Person, administrator: boolean, release: string}} Hello
 * @typedef {{type: "ack", clientRef: string, result: Record<string, any>}} Ack
 * @typedef {{type: "error", clientRef?: string, code: string, message: string,
 *   data: Record<string, any>}} ErrorFrame
 * @typedef {{type: "ping", n: number}} Ping
 * @typedef {{type: "channels:changed", channels: ChannelInfo[]}} ChannelsChanged
 * @typedef {{type: "channel:snapshot", channel: ChannelInfo, seq: number, messages: Message[],
 *   more: boolean, busy: boolean, queued: number, answering?: Answering,
 *   usage: Record<string, Usage>, permissions: PermissionRequest[], people: Person[]}} ChannelSnapshot
 * @typedef {{type: "channel:reset", channel: string, seq: number}} ChannelReset
 * @typedef {{type: "channel:gone", channel: string}} ChannelGone
 * @typedef {{type: "message:updated", channel: string, seq: number, message: Message}} MessageUpdated
 * @typedef {{type: "message:removed", channel: string, seq: number, messageId: string}} MessageRemoved
 * @typedef {{type: "message:delta", channel: string, messageId: string, index: number,
 *   kind: "text"|"thought"|"tool"|"plan", text?: string, part?: ToolPart|PlanPart,
 *   offset: number}} MessageDelta
 * @typedef {{type: "turn:changed", channel: string, seq: number, busy: boolean, queued: number,
 *   answering?: Answering}} TurnChanged
 * @typedef {{type: "permission:requested", channel: string, seq: number,
 *   request: PermissionRequest}} PermissionRequested
 * @typedef {{type: "permission:resolved", channel: string, seq: number, id: string,
 *   state: RequestState, answer?: Answer}} PermissionResolved
 * @typedef {{type: "usage:changed", channel: string, agent: string, usage: Usage}} UsageChanged
 * @typedef {{type: "notice", channel: string, code: string, message: string}} NoticeGiven
 * @typedef {{type: "workspace:changed", workspace: string, paths: string[], agent?: string}} WorkspaceChanged
 * @typedef {{type: "agent:state", agent: string,
 *   state: "stopped"|"starting"|"ready"|"busy"|"error", error?: string}} AgentState
 *
 * @typedef {MessageUpdated|MessageRemoved|TurnChanged|PermissionRequested|PermissionResolved} DurableFrame
 * @typedef {DurableFrame|MessageDelta|UsageChanged|NoticeGiven} ChannelFrame
 * @typedef {Hello|Ack|ErrorFrame|Ping|ChannelsChanged|ChannelSnapshot|ChannelReset|ChannelGone|
 *   ChannelFrame|WorkspaceChanged|AgentState} Frame
 */

export {};
