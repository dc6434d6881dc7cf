"""Names of channels and sessions are unique, and found, by what they are folded.

Until here SQLite took `Équipe` and `équipe` for two names, and both databases the composed and the
decomposed. Where two rows are one name now, the first made keeps it and each other gets `_2`, `_3`…
as a session whose name is taken always did; nothing else of them changes.
"""

import logging

from django.db import migrations, models

import maia_web.lib.names.field
from maia_web.lib.names.folding import fold

logger = logging.getLogger(__name__)
# model: the columns within which names are unique, who came first, the longest name
NAMED = {
    "Channel": (("workspace_id",), ("created_at", "id"), 64),
    "AgentSession": (("channel_id", "agent_id"), ("id",), 100),
}


def fill(apps, schema_editor):
    for model, (within, order, longest) in NAMED.items():
        rows = apps.get_model("agents", model).objects.exclude(name="")
        found = list(rows.order_by(*order).values_list("id", "name", *within))
        everywhere = {}
        for _id, name, *place in found:
            everywhere.setdefault(tuple(place), set()).add(fold(name))
        given = set()
        for id, name, *place in found:
            new, taken = name, everywhere[tuple(place)]
            if (*place, fold(name)) in given:
                new = free(name, taken, longest)
                taken.add(fold(new))
                logger.warning("%s %s: “%s” is called “%s” now", model, id, name, new)
            given.add((*place, fold(new)))
            rows.filter(id=id).update(name=new, name_key=fold(new))


def free(name, taken, longest):
    """Returns the name with the first number that none of its like has, in `longest` letters."""
    number = 2
    while True:
        suffix = f"_{number}"
        candidate = name[: longest - len(suffix)].rstrip(". ") + suffix
        if fold(candidate) not in taken:
            return candidate
        number += 1


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0019_rules_stamp'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='channel', name='channel_name_unique_in_workspace'),
        migrations.RemoveConstraint(
            model_name='agentsession', name='session_name_unique_in_channel'
        ),
        migrations.AddField(
            model_name='channel',
            name='name_key',
            field=maia_web.lib.names.field.FoldedField(
                default='', editable=False, max_length=192, of='name'
            ),
        ),
        migrations.AddField(
            model_name='agentsession',
            name='name_key',
            field=maia_web.lib.names.field.FoldedField(
                default='', editable=False, max_length=300, of='name'
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='channel',
            constraint=models.UniqueConstraint(
                condition=models.Q(('name', ''), _negated=True),
                fields=('workspace', 'name_key'),
                name='channel_name_unique_in_workspace',
            ),
        ),
        migrations.AddConstraint(
            model_name='agentsession',
            constraint=models.UniqueConstraint(
                fields=('channel', 'agent', 'name_key'), name='session_name_unique_in_channel'
            ),
        ),
    ]
