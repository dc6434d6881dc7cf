"""REST: workspaces, their members, files and terminals."""

from workspaces.api.files import router as _files
from workspaces.api.terminals import own_router as terminals_router
from workspaces.api.terminals import router as _terminals
from workspaces.api.workspaces import router

router.add_router("", _files)
router.add_router("", _terminals)

__all__ = ["router", "terminals_router"]
