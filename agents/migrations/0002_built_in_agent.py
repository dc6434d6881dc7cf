"""Makes the built-in agent."""

from django.db import migrations


def make(apps, schema_editor):
    agents = apps.get_model("agents", "Agent")
    agents.objects.using(schema_editor.connection.alias).get_or_create(
        name="maia",
        defaults={"kind": "maia", "title": "MAIA", "position": 0},
    )


class Migration(migrations.Migration):
    dependencies = [("agents", "0001_initial")]
    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
