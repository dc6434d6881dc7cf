"""Records the databases of an earlier commit, for the test that starts the present one on them.

In a checkout of that commit, with the environment of this one:

    PYTHONPATH=. HERE/.venv/bin/python HERE/tests/upgrades/record.py HERE/tests/upgrades/COMMIT

writes `data.sqlite3.xz`, `data.sql.xz` (PostgreSQL) and `told.json`: what both hold, and the
digests of the migrations that made them, which may never change again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import lzma
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.resilience.story import Story
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer, serve
from tests.support.processes import ROOT
from tests.support.reader import pending, reading
from tests.support.server import MaiaServer
from tests.support.services import run_postgres

SECRET = "the key of every recorded site"
MODEL_KEY = "sk-recorded-before"
FOR_EVER = "2999-01-01 00:00:00+00:00"
RUN = "echo line >> ran.txt"
RULES = [("site", "deny", "Bash(shutdown:*)"), ("person", "allow", "Bash(true)")]
KEEP_KEY = f"""
import django
django.setup()
from agents.models import ModelServer
from maia_web.lib.crypto import seal
ModelServer.objects.update(sealed_key=seal({MODEL_KEY!r}))
"""


async def tell(server: MaiaServer, model: ScriptedServer) -> dict[str, Any]:
    """Fills a site: people, rules, a channel with an answer, a call and a request that waits."""
    story = Story.begin(server, model)
    server.prepare("bob", model=None)
    for scope, family, rule in RULES:
        wanted = {"scope": scope, "family": family, "text": rule}
        story.alice.post("/api/rules", json=wanted).raise_for_status()
    members = f"/api/workspaces/{story.workspace}/members"
    story.alice.post(members, json={"username": "bob", "role": "editor"}).raise_for_status()
    async with server.socket(story.alice) as socket:
        made = await socket.command(
            "channel:create",
            workspace=story.workspace,
            name="release",
            description="what ships",
            members=["maia"],
        )
    channel = made["channel"]
    model.script(answer(text("Good morning, Alice.")))
    model.script(tool_answer("Bash", {"command": "true"}))
    model.script(answer(text("It is true.")))
    model.script(tool_answer("Bash", {"command": RUN}, id="call_b"))
    async with reading(server, story.alice, channel) as tab:
        await tab.send("@maia good morning")
        await tab.until_idle()
        await tab.send("@maia is it true?")
        await tab.until_idle()
        await tab.send("@maia write a line")
        request = (await tab.until(pending)).permissions[0]
    story.close()
    return {"workspace": story.workspace, "channel": channel, "request": request.id, "run": RUN}


def record(folder: Path, env: dict[str, str]) -> dict[str, Any]:
    """Runs the site of this commit once and returns what it holds."""
    with (
        serve() as model,
        MaiaServer(folder, {"MAIA_SECRET_KEY": SECRET, **env}, empty=True) as server,
    ):
        told = asyncio.run(tell(server, model))
        server.stop()
        env = {**server.env, "DJANGO_SETTINGS_MODULE": "maia_web.settings"}
        subprocess.run([sys.executable, "-c", KEEP_KEY], env=env, cwd=ROOT, check=True)
    return told


def of_sqlite(target: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="maia-record-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o711)
        told = record(Path(name) / "data", {})
        copy = Path(name) / "copy.sqlite3"
        database = sqlite3.connect(Path(name) / "data" / "maia.sqlite3")
        database.execute("UPDATE agents_permissionrequest SET expires_at = ?", (FOR_EVER[:19],))
        database.commit()
        database.execute(f"VACUUM INTO '{copy}'")
        database.close()
        (target / "data.sqlite3.xz").write_bytes(lzma.compress(copy.read_bytes(), preset=9))
    return told


def of_postgres(target: Path) -> dict[str, Any]:
    import psycopg

    with tempfile.TemporaryDirectory(prefix="maia-record-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o711)
        with run_postgres() as postgres:
            url = postgres.new_database()
            told = record(Path(name) / "data", {"DATABASE_URL": url})
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(
                    "UPDATE agents_permissionrequest SET expires_at = %s", (FOR_EVER,)
                )
            words = ["pg_dump", "--no-owner", "--no-privileges", url]
            dump = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        # a word to psql of late versions, which earlier ones do not know
        lines = [
            line for line in dump.splitlines() if not line.startswith(("\\restrict", "\\unre"))
        ]
        content = "\n".join(lines).encode() + b"\n"
        (target / "data.sql.xz").write_bytes(lzma.compress(content, preset=9))
    return told


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    made = {
        str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(ROOT.glob("*/**/migrations/0*.py"))
        if ".venv" not in path.parts
    }
    told = {
        "secret": SECRET,
        "model_key": MODEL_KEY,
        "rules": RULES,
        "sqlite": of_sqlite(target),
        "postgresql": of_postgres(target),
        "migrations": made,
    }
    (target / "told.json").write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
