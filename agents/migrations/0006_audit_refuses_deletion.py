"""Lets the database refuse more: SQLite to delete or replace lines, PostgreSQL to truncate.

Only the rotation by age may delete, and it drops nothing younger than 30 days. A session of
PostgreSQL that sets maia.truncate_audit (tests do, to begin anew) may truncate.
"""

from django.db import migrations

REFUSED = "RAISE(ABORT, 'the audit log is append-only')"
SQLITE = {
    "audit_keeps_young_lines": f"""
BEFORE DELETE ON agents_auditentry
WHEN OLD.at > strftime('%Y-%m-%d %H:%M:%S', 'now', '-30 days')
BEGIN SELECT {REFUSED}; END
""",
    # REPLACE deletes without telling the trigger above
    "audit_replaces_no_line": f"""
BEFORE INSERT ON agents_auditentry
WHEN EXISTS (SELECT 1 FROM agents_auditentry WHERE id = NEW.id)
BEGIN SELECT {REFUSED}; END
""",
}
POSTGRESQL = """
CREATE FUNCTION audit_is_not_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('maia.truncate_audit', true) = 'on' THEN RETURN NULL; END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_is_not_truncated BEFORE TRUNCATE ON agents_auditentry
FOR EACH STATEMENT EXECUTE FUNCTION audit_is_not_truncated();
"""


def guard(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    if vendor == "sqlite":
        for name, trigger in SQLITE.items():
            schema_editor.execute(f"CREATE TRIGGER {name} {trigger}")
    elif vendor == "postgresql":
        schema_editor.execute(POSTGRESQL)


class Migration(migrations.Migration):
    dependencies = [("agents", "0005_turn_language")]
    operations = [migrations.RunPython(guard, migrations.RunPython.noop)]
