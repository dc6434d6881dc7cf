"""Lets the database tell when rules, or what they depend on, may be others than before.

Each write, by whatever way, changes the stamp in its own transaction. SQLite has one writer at a
time; in PostgreSQL it happens last, when the transaction commits, so that nobody who holds the stamp
waits for somebody who wants it. How often a rule was of use is no change.
"""

from django.db import migrations, models

WATCHED = {
    "agents_rule": (
        "scope", "workspace_id", "user_id", "agent_id", "family", "text", "definition", "enabled",
    ),
    "agents_knownrule": ("workspace_id", "family", "text", "digest"),
    "agents_knownrule_looked_by": ("knownrule_id", "user_id"),
    "agents_trustedfile": ("user_id", "workspace_id", "sha256"),
    "agents_agent": ("name",),
    "workspaces_membership": ("workspace_id", "user_id", "role"),
}
# not INSERT ... ON CONFLICT: in SQLite an outer INSERT OR IGNORE would decide what a conflict does
SQLITE = """
CREATE TRIGGER rules_stamp_{table}_{number} AFTER {event} ON {table}
BEGIN
  DELETE FROM agents_rulesstamp;
  INSERT INTO agents_rulesstamp (id, stamp) VALUES (1, lower(hex(randomblob(16))));
END
"""
POSTGRESQL = """
CREATE FUNCTION rules_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('maia.rules_stamped', true) IS DISTINCT FROM txid_current()::text THEN
    INSERT INTO agents_rulesstamp (id, stamp) VALUES (1, gen_random_uuid()::text)
    ON CONFLICT (id) DO UPDATE SET stamp = EXCLUDED.stamp;
    PERFORM set_config('maia.rules_stamped', txid_current()::text, true);
  END IF;
  RETURN NULL;
END $$;
"""
POSTGRESQL_ROWS = """
CREATE CONSTRAINT TRIGGER rules_stamp_{table} AFTER INSERT OR DELETE OR UPDATE OF {columns}
ON {table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION rules_stamp();
CREATE TRIGGER rules_stamp_{table}_all AFTER TRUNCATE
ON {table} FOR EACH STATEMENT EXECUTE FUNCTION rules_stamp();
"""


def watch(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    if vendor == "postgresql":
        schema_editor.execute(POSTGRESQL)
    for table, names in WATCHED.items():
        columns = ", ".join(names)
        if vendor == "postgresql":
            schema_editor.execute(POSTGRESQL_ROWS.format(table=table, columns=columns))
        elif vendor == "sqlite":
            for number, event in enumerate(("INSERT", "DELETE", f"UPDATE OF {columns}")):
                text = SQLITE.format(table=table, number=number, event=event)
                schema_editor.execute(text)


def unwatch(apps, schema_editor):
    """Takes the triggers away: without their table each write of a rule would fail."""
    vendor = schema_editor.connection.vendor
    for table in WATCHED:
        if vendor == "postgresql":
            for name in (f"rules_stamp_{table}", f"rules_stamp_{table}_all"):
                schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
        elif vendor == "sqlite":
            for number in range(3):
                schema_editor.execute(f"DROP TRIGGER rules_stamp_{table}_{number}")
    if vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION rules_stamp()")


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0018_slash_answers_by_ref'),
        ('workspaces', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='RulesStamp',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stamp', models.CharField(max_length=36)),
            ],
        ),
        migrations.RunPython(watch, unwatch),
    ]
