"""Lets the database refuse what would change the audit log.

SQLite refuses updates; PostgreSQL also refuses to delete what is younger than 30 days (its
TRUNCATE, with which tests begin anew, stays free).
"""

from django.db import migrations

SQLITE = """
CREATE TRIGGER audit_is_append_only BEFORE UPDATE ON agents_auditentry
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
"""
POSTGRESQL = """
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '30 days' THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE ON agents_auditentry
FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
"""


def guard(apps, schema_editor):
    sql = {"sqlite": SQLITE, "postgresql": POSTGRESQL}.get(schema_editor.connection.vendor)
    if sql:
        schema_editor.execute(sql)


class Migration(migrations.Migration):
    dependencies = [("agents", "0003_first_rules")]
    operations = [migrations.RunPython(guard, migrations.RunPython.noop)]
