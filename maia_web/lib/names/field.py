"""FoldedField: the column by which names are found, and are unique, in every database alike.

SQLite folds ASCII alone, PostgreSQL what its locale says; neither knows how letters are composed.
"""

from __future__ import annotations

from typing import Any

from django.db import models

from maia_web.lib.names.folding import fold


class FoldedField(models.CharField):  # type: ignore[type-arg]  # generic for the stubs alone
    """What another field of the row is when it is folded; kept with each `save` of this field."""

    def __init__(self, *args: Any, of: str = "name", **kwargs: Any) -> None:
        self.of = of
        super().__init__(*args, **{"editable": False, "default": "", **kwargs})

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        """Names `of` too, for migrations."""
        name, path, args, kwargs = super().deconstruct()
        return name, path, list(args), {**kwargs, "of": self.of}

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        """Folds what the other field is now."""
        folded = fold(getattr(model_instance, self.of))
        setattr(model_instance, self.attname, folded)
        return folded
