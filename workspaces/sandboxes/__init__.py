"""Where the commands of one person in one workspace run."""

from workspaces.sandboxes.base import open_sandbox, runs_unconfined, sandbox_status
from workspaces.sandboxes.status import SandboxStatus

__all__ = ["SandboxStatus", "open_sandbox", "runs_unconfined", "sandbox_status"]
