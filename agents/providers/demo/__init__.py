"""The demo model: built in, offline, honest about being a demonstration."""

from agents.providers.demo.model import DemoModel

__all__ = ["DemoModel"]
