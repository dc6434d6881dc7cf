"""The import map: names under which browser modules import each other (frontend guide §7)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from django.conf import settings
from django.templatetags.static import static

VENDOR = ("lit", "signals", "xterm", "codemirror", "markdown", "diff")


def import_map() -> str:
    """Returns the import map as JSON that is safe inside a script element.

    `maia/<path>` names each of our own modules without its `.js`; libraries keep short names.
    The list of modules is read once, or at each call while `MAIA_DEBUG` is set.
    """
    modules = _modules(settings.BASE_DIR / "static" / "maia")
    return _render(modules, static(""))


def modules_for_page(*names: str) -> list[str]:
    """Returns the addresses of modules to preload, by their names in the import map."""
    return [static(f"vendor/{name}.js" if name in VENDOR else f"{name}.js") for name in names]


@cache
def _kept(folder: Path) -> tuple[str, ...]:
    return tuple(
        path.relative_to(folder).with_suffix("").as_posix() for path in sorted(folder.rglob("*.js"))
    )


def _modules(folder: Path) -> tuple[str, ...]:
    return _kept.__wrapped__(folder) if settings.DEBUG else _kept(folder)


@cache
def _render(modules: tuple[str, ...], base: str) -> str:
    imports = {name: f"{base}vendor/{name}.js" for name in VENDOR}
    imports |= {f"maia/{name}": f"{base}maia/{name}.js" for name in modules}
    return json.dumps({"imports": imports}, separators=(",", ":")).replace("<", "\\u003c")
