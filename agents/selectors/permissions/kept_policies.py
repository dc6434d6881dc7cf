"""Kept policies: the rules of a person, workspace and agent, for as long as nothing changed them.

What is kept is used only after the database was asked for its stamp of rules, and beside the
settings files as they were read for this call.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from django.db import connection, models

from agents.domain.rules.files import RuleFiles
from agents.models import RulesStamp
from maia_web.lib.fixed import Fixed, Row

T = TypeVar("T")

MOST = 100_000
"""Rules that are kept in a process; what was not asked for longest goes first."""


class KeptPolicies(Generic[T]):
    """Values by whom they are for, as of a stamp and of the files; of use to all threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, tuple[str, RuleFiles, T, int]] = OrderedDict()
        self._weight = 0

    def of(self, key: Hashable, stamp: str, files: RuleFiles) -> T | None:
        """Returns the value that was made under this stamp, from these files."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or found[0] != stamp or found[1] != files:
                return None
            self._kept.move_to_end(key)
            return found[2]

    def keep(self, key: Hashable, stamp: str, files: RuleFiles, value: T, weight: int) -> None:
        """Keeps a value in the place of an earlier one; `weight`: how many rules it has."""
        with self._lock:
            earlier = self._kept.pop(key, None)
            self._weight += weight - (earlier[3] if earlier else 0)
            self._kept[key] = (stamp, files, value, weight)
            while self._weight > self._most:
                _key, gone = self._kept.popitem(last=False)
                self._weight -= gone[3]


def stamp_now() -> str:
    """Returns the database's stamp of rules, "" where nothing may be kept.

    That is within a transaction, whose own writes may yet be taken back, and before any rule was
    written. What was read after a stamp is at least as new as it.
    """
    if connection.in_atomic_block:
        return ""
    row = _STAMP.first(1)
    return row[0] if row else ""


def _stamp(row: int) -> models.QuerySet[RulesStamp, Row]:
    return RulesStamp.objects.filter(pk=row).values_list("stamp")


_STAMP = Fixed(_stamp)
