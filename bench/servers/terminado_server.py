"""terminado as its documentation shows it: `python -m bench.servers.terminado_server PORT`."""

from __future__ import annotations

import asyncio
import sys

import tornado.web
from terminado.management import UniqueTermManager
from terminado.websocket import TermSocket


async def main(port: int) -> None:
    """Serves a new shell for each socket."""
    manager = UniqueTermManager(shell_command=["bash", "--norc"])
    handlers = [(r"/websocket/(.*)", TermSocket, {"term_manager": manager})]
    tornado.web.Application(handlers).listen(port, "127.0.0.1")
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
