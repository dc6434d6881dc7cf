"""Rows; nothing but services write them and nothing but selectors and services read them."""

from agents.models.agent import Agent, ContextSize, KnownModel, ModelServer
from agents.models.audit import AuditEntry
from agents.models.channel import Channel, ChannelAgent, ChannelRead
from agents.models.message import AnswerGrowth, Message
from agents.models.permission import PermissionRequest, Rule
from agents.models.policy import KnownRule, PolicySettings, RulesStamp, TrustedFile
from agents.models.turn import AgentSession, SessionMessage, ToolCall, Turn
from agents.models.typed import SlashAnswer

__all__ = [
    "Agent",
    "AgentSession",
    "AnswerGrowth",
    "AuditEntry",
    "Channel",
    "ChannelAgent",
    "ChannelRead",
    "ContextSize",
    "KnownModel",
    "KnownRule",
    "Message",
    "ModelServer",
    "PermissionRequest",
    "PolicySettings",
    "Rule",
    "RulesStamp",
    "SessionMessage",
    "SlashAnswer",
    "ToolCall",
    "TrustedFile",
    "Turn",
]
