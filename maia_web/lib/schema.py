"""Brings the database up to date, or says in a sentence why it does not fit this release."""

from __future__ import annotations

from django.apps import apps
from django.apps.registry import Apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.exceptions import InconsistentMigrationHistory
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils.translation import gettext as _

from maia_web.lib.database import columns, database_name, only_one_migrates

_FIRST = ("accounts", "0001_initial")


class Unfit(Exception):
    """The database cannot be used by this release; the text is for people."""


def bring_up_to_date() -> None:
    """Applies what is missing, one process after the other; raises `Unfit` and changes nothing."""
    with only_one_migrates():
        executor = MigrationExecutor(connection)
        _check_ours(executor.loader)
        try:
            executor.loader.check_consistent_history(connection)
            if executor.migration_plan(executor.loader.graph.leaf_nodes()):
                _check_complete(_made_so_far(executor.loader))
                call_command("migrate", interactive=False, verbosity=0)
        except InconsistentMigrationHistory as error:
            raise Unfit(_foreign(str(error))) from error
        _check_complete(apps)


def _made_so_far(loader: MigrationLoader) -> Apps:
    """Returns the models as the applied migrations made them.

    SQLite would copy a table with a missing column, and write the column's name into each row.
    """
    applied = [key for key in loader.graph.nodes if key in loader.applied_migrations]
    if not applied:
        return Apps()
    made: Apps = loader.project_state(applied).apps
    return made


def _check_complete(made: Apps) -> None:
    """Raises `Unfit` where a table or a column is missing that the applied migrations made."""
    wanted = {
        (model._meta.db_table, field.column)
        for model in made.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
    }
    for table, column in sorted(wanted - columns()):
        raise Unfit(
            _(
                "The database %(database)s lacks %(what)s, which its migrations made: "
                "somebody changed it by hand, or it is damaged. Restore a backup of it "
                "(manage.py restore)."
            )
            % {"database": database_name(), "what": f"{table}.{column}"}
        )


def _check_ours(loader: MigrationLoader) -> None:
    """Raises `Unfit` for a database of a later release, or of another program."""
    applied = set(loader.applied_migrations)
    if _FIRST not in applied:
        _check_empty()
        return
    known = set(loader.disk_migrations)
    known |= {old for one in loader.disk_migrations.values() for old in one.replaces}
    labels = {config.label for config in apps.get_app_configs()}
    later = sorted(key for key in applied - known if key[0] in labels)
    if later:
        raise Unfit(
            _(
                "The database %(database)s was used by a later MAIA (it has %(later)s). Start that "
                "release again, or restore a backup made with this one (manage.py restore)."
            )
            % {"database": database_name(), "later": _names(later)}
        )


def _check_empty() -> None:
    """A database without our first migration holds nothing but what was begun of ours."""
    ours = set(connection.introspection.django_table_names()) | {"django_migrations"}
    strange = sorted(set(connection.introspection.table_names()) - ours)
    if strange:
        raise Unfit(_foreign(", ".join(strange[:5])))


def _foreign(what: str) -> str:
    return _(
        "The database %(database)s belongs to another program (%(what)s). Give MAIA one of its "
        "own: set DATABASE_URL, or another MAIA_DATA."
    ) % {"database": database_name(), "what": what}


def _names(keys: list[tuple[str, str]]) -> str:
    return ", ".join(f"{app}.{name}" for app, name in keys[:3])
