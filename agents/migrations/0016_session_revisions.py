"""Counts the messages of each session; their tokens are counted when they are next needed."""

from django.db import migrations, models
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce


def count_messages(apps, schema_editor):
    messages = apps.get_model("agents", "SessionMessage").objects.order_by()
    ours = messages.filter(session=OuterRef("pk")).values("session")
    length = Coalesce(Subquery(ours.annotate(count=Count("pk")).values("count")), 0)
    apps.get_model("agents", "AgentSession").objects.update(length=length)


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0015_slash_answers'),
    ]

    operations = [
        migrations.AddField(
            model_name='agentsession',
            name='length',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='agentsession',
            name='revision',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='sessionmessage',
            name='revision',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='sessionmessage',
            name='tokens',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.RunPython(count_messages, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='sessionmessage',
            index=models.Index(fields=['session', 'revision'], name='session_changes'),
        ),
    ]
