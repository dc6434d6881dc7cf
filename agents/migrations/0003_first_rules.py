"""Lets agents look around in the workspace without asking; administrators may change it."""

from django.db import migrations

FIRST_RULES = ["Read(**)", "Glob(**)", "Grep(**)", "TodoWrite", "Skill", "CurrentModel", "ListModels"]


def make(apps, schema_editor):
    rules = apps.get_model("agents", "Rule").objects.using(schema_editor.connection.alias)
    for text in FIRST_RULES:
        rules.get_or_create(scope="site", family="allow", text=text)


class Migration(migrations.Migration):
    dependencies = [("agents", "0002_built_in_agent")]
    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
