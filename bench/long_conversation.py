"""Makes conversations: `python -m bench.long_conversation`, on the data folder of the environment.

Reads `[[person, workspace, messages, characters of each], …]` as JSON; prints their ids likewise.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

BATCH = 2_000
Wanted = tuple[int, str, int, int]
"""Whose, in which workspace, how many messages, how many characters each."""


def make(wanted: Sequence[Wanted], env: Mapping[str, str]) -> list[str]:
    """Makes them in a process of its own; returns their ids."""
    made = subprocess.run(
        [sys.executable, "-m", "bench.long_conversation"],
        input=json.dumps(wanted),
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    return list(json.loads(made.stdout))


def main() -> None:
    """Makes what standard input asks for."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maia_web.settings")
    import django

    django.setup()
    wanted = enumerate(json.load(sys.stdin))
    json.dump([_made(number, *one) for number, one in wanted], sys.stdout)


def _made(number: int, person: int, workspace: str, length: int, size: int) -> str:
    from agents.models import Agent, Channel, Message
    from agents.services.channels.channels import create_channel

    name = f"long {number} {length} {size} {os.getpid()}"
    channel = create_channel(person, workspace, name, members=("maia",))
    agent = Agent.objects.get(name="maia")
    for start in range(0, length, BATCH):
        Message.objects.bulk_create(
            Message(
                channel_id=channel,
                position=position,
                role="agent" if position % 2 else "user",
                author_id=None if position % 2 else person,
                agent=agent if position % 2 else None,
                parts=[{"type": "text", "text": _text(position, size)}],
            )
            for position in range(start + 1, min(start + BATCH, length) + 1)
        )
    Channel.objects.filter(id=channel).update(last_position=length)
    return channel


def _text(position: int, size: int) -> str:
    return f"Message {position}. {'Some words. ' * (size // 12 + 1)}"[:size]


if __name__ == "__main__":
    main()
