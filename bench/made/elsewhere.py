"""Work for a process of its own, whose Django has the data of a server that is measured.

`elsewhere("bench.made.accounts:people", env, 50, True)` calls that function there. From a shell:
`python -m bench.made.elsewhere bench.made.accounts:people`, its arguments as JSON on stdin.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any


def elsewhere(function: str, env: Mapping[str, str], *arguments: Any) -> Any:
    """Returns what "module:function" returns there; arguments and result go as JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.made.elsewhere", function],
        input=json.dumps(arguments),
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{function}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Calls the function that the command line names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maia_web.settings")
    import django

    django.setup()
    module, _, name = sys.argv[1].partition(":")
    result = getattr(importlib.import_module(module), name)(*json.load(sys.stdin))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
