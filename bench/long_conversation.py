"""Makes conversations of given lengths: `python -m bench.long_conversation PERSON N…`.

It runs in a process of its own, on the data folder of the environment; prints their ids.
"""

from __future__ import annotations

import json
import os
import sys

BATCH = 2_000


def main() -> None:
    """Reads the person's workspace and the lengths from the arguments."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maia_web.settings")
    import django

    django.setup()
    person, workspace, *lengths = sys.argv[1:]
    json.dump(
        {length: _made(int(person), workspace, int(length)) for length in lengths}, sys.stdout
    )


def _made(person: int, workspace: str, length: int) -> str:
    from agents.models import Agent, Message
    from agents.services.channels import create_channel

    channel = create_channel(person, workspace, f"long {length}", members=("maia",))
    agent = Agent.objects.get(name="maia")
    for start in range(0, length, BATCH):
        Message.objects.bulk_create(
            Message(
                channel_id=channel,
                position=position,
                role="agent" if position % 2 else "user",
                author_id=None if position % 2 else person,
                agent=agent if position % 2 else None,
                parts=[{"type": "text", "text": f"Message {position}. " + "Some words. " * 20}],
            )
            for position in range(start + 1, min(start + BATCH, length) + 1)
        )
    return channel


if __name__ == "__main__":
    main()
