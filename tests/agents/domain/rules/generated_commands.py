"""Commands made to get round rules, under random rules; those that are allowed run in a sandbox.

`make test` runs a thousand, and more are run by
`python -m tests.agents.domain.rules.generated_commands 20000 [seed]`.
Every line is composed: what writes or runs something (an option of the table of programs, a script)
is hidden in an argument by an expansion, a quote, braces or the name of a file; the program has
another name (a path, a link, after `cd`, behind what starts it); both stand in a group, pipe, loop…
"""

from __future__ import annotations

import random
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from agents.domain.rules.policy import Policy, PolicyContext
from agents.domain.shell.programs import known, table
from tests.support.bash_box import WORK, BashBox, Ran

CONTEXT = PolicyContext(root=WORK, home="/mnt/home")
NEVER_RUN = frozenset(
    {
        "kill", "pkill", "killall", "skill", "snice", "yes", "sleep", "top", "tload", "slabtop",
        "vmstat", "pidwait", "less", "more", "man", "write", "sync", "ip", "logger", "hostname",
        "date", "apropos", "whatis", "sftp", "scp", "ssh-keyscan", "lsof",
    }
)  # fmt: skip
"""They wait, talk to the machine, or end what runs beside them; and so are left out."""

WRITERS = ("ctags", "gcov")
"""They are there to write files whose names no argument says."""

FILES = {
    "a.txt": "one\ntwo\nthree\n", "in.txt": "in\n", "b.txt": "one\n2\n", "data.csv": "a,1\nb,2\n",
    "run.sh": "#!/bin/bash\ngood run\n", "sub/run.sh": "#!/bin/bash\nevil sub\n",
    "env.sh": "#!/bin/bash\ngood env\n", "sub/env.sh": "#!/bin/bash\nevil env\n",
    "bin/tool": "#!/bin/bash\ngood tool\n", "sub/bin/tool": "#!/bin/bash\nevil tool\n",
    "sub/in.txt": "in\n", "run.awk": "{print}\n", "sub/run.awk": 'BEGIN{system("evil awk")}\n',
    "run.py": "pass\n", "sub/run.py": "import os; os.system('evil py')\n",
    "-oOUT2": "", "--output=OUT2": "", "-exec": "", "--compress-program=evil": "", "--pre=evil": "",
    "links/bin": "-> /usr/bin", "links/sub": "-> ../sub", "links/a": "-> ../a.txt",
    "x.po": 'msgid ""\nmsgstr ""\n\nmsgid "a"\nmsgstr "b"\n',
}  # fmt: skip
SETUP = (
    "git init -q --bare -b main ../remote; git init -q -b main . && git config user.name a && "
    "git config user.email a@b && git add a.txt in.txt && git commit -qm one && "
    "git remote add origin ../remote && git push -q origin main && echo more >>a.txt && "
    "git commit -qam two; git init -q nest && git -C nest config core.fsmonitor evil && "
    "git -C nest config alias.x '!evil'"
)
VARIABLES = {
    "E": "evil", "O": "-oOUT2", "L": "--output=OUT2", "X": "-exec evil ;", "W": "OUT2",
    "P": '{system("evil")}', "D": "-C nest", "T": "a.txt OUT2", "V": "v a[$(evil)]",
}  # fmt: skip
BOX = BashBox(files=FILES, variables=VARIABLES, setup=SETUP, programs=True)

_PIECES = tomllib.loads(Path(__file__).with_name("generated_pieces.toml").read_text("utf-8"))


def _lines(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.strip("\n").split("\n")]


ARGUMENTS = {
    name: [shlex.split(line) for line in _lines(text)]
    for name, text in _PIECES.pop("arguments").items()
}
ARGUMENTS |= dict.fromkeys(("mawk", "gawk", "nawk"), ARGUMENTS["awk"])
ARGUMENTS["["] = [[*words, "]"] for words in ARGUMENTS["test"]]
PIECES = {name: _lines(text) for name, text in _PIECES.items()}
OPTIONS = {"-o", "--output", "-w", "-f", "-O", "-e", "-x", "-n", "-i", "-c", "-W"}
"""Options that write or run with many programs: tried with each, whatever the table says."""
NAMES = ["*", "-*", "--*", "?oOUT2", "-?OUT*", "[-]*", "./*", "--o*", "*.txt", "-e*", "-{o,x}*"]


@dataclass(frozen=True, slots=True)
class Made:
    """A line and its rules. `needs`: the program it is about, "" for one that is everywhere.

    `is_meant`: this program is there to write what its arguments name.
    """

    line: str
    allow: tuple[str, ...]
    deny: tuple[str, ...] = ()
    needs: str = ""
    is_meant: bool = False


@dataclass(slots=True)
class Tally:
    """How many lines were made and run, and those that did what no rule covers."""

    seed: int
    made: int = 0
    ran: int = 0
    wrong: list[tuple[Made, Ran]] = field(default_factory=list)

    def __str__(self) -> str:
        """Says the counts and the seed."""
        counts = f"{self.made} made, {self.ran} allowed and run, {len(self.wrong)} wrong"
        return f"seed {self.seed}: {counts}"


@cache
def programs() -> tuple[str, ...]:
    """Returns the programs of the table that may run here, but those that do anything."""
    lines = table().items()
    names = {name for name, line in lines if " " not in name and line.kind != "anything"}
    return tuple(sorted((names | set(ARGUMENTS)) - NEVER_RUN))


@cache
def is_here(name: str) -> bool:
    """Says whether this machine has the program."""
    return name in ("printf", "test", "[") or shutil.which(name) is not None


class Maker:
    """Makes lines from one seed; the same ones on every machine."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.one = self.chance.choice

    def make(self) -> Made:
        """Returns the next line with its rules."""
        ways = (self._arguments, self._names, self._moved, self._git)
        return self.chance.choices(ways, (9, 4, 2, 3))[0]()

    def _in_context(self, command: str) -> str:
        return self.one(PIECES["contexts"]).replace("{}", command)

    def _arguments(self) -> Made:
        """A program that a rule allows, with arguments made to write or to run something."""
        name = self.one(programs())
        command = self._hidden(name, self._payload(name))
        line = known([name])
        writes = line is None or line.outputs or line.folders or line.operands != "none"
        is_meant = name in WRITERS or (bool(writes) and name != "git")
        allow: tuple[str, ...] = self._rules(name)
        deny: tuple[str, ...] = ()
        if self.chance.random() < 0.3:
            allow, deny = ("Bash", "Redirect(out/*)"), ("Bash(evil *)", *self._others())
        return Made(self._in_context(command), allow, deny, needs=name, is_meant=is_meant)

    def _rules(self, name: str) -> tuple[str, ...]:
        """Rules for one program, for those that every line may use, and for a few others."""
        names = dict.fromkeys([name, "true", ":", "cat", "good", "cd"])
        return (*(f"Bash({one} *)" for one in names), "Redirect(out/*)", *self._others())

    def _others(self) -> tuple[str, ...]:
        names = self.chance.choices(programs(), k=self.chance.randint(0, 3))
        return tuple(f"Bash({name} --{self.one(['help', 'version', 'none'])} *)" for name in names)

    def _payload(self, name: str) -> list[str]:
        line = known([name])
        if line is None or (name in ARGUMENTS and self.chance.random() < 0.7):
            return list(self.one(ARGUMENTS[name]))
        option = self.one(sorted(line.asks | OPTIONS)).rstrip("*").replace("*", "=")
        value = self.one(["evil", "OUT2", "a.txt", "1"])
        forms = [[f"{option}{value}"], [option, value], [f"{option}={value}"], [option]]
        if option.startswith("--"):
            forms.append([f"{option[: self.chance.randint(3, len(option))]}={value}"])
        operands = self.one([[], ["a.txt"], ["a.txt", "OUT2"], ["a.txt", "b.txt"], ["."]])
        words = self.one(forms)
        return [*words, *operands] if self.chance.random() < 0.8 else [*operands, *words]

    def _hidden(self, name: str, words: list[str]) -> str:
        """Returns `name words` with one of the words, or all from there, hidden."""
        quoted = [shlex.quote(word) for word in words]
        if self.chance.random() < 0.15:
            return " ".join([name, *quoted])
        at = self.chance.randrange(len(words))
        cut = self.chance.randrange(len(words[at]))
        ways = [self._in_loop, self._after_underscore]
        if self.chance.random() < 0.4:
            hidden, rest = " ".join(words[at:])[cut:], []
        else:
            ways += [self._in_braces, self._in_quotes, self._as_name, self._as_variable]
            hidden, rest = words[at][cut:], quoted[at + 1 :]
        start, word = self.one(ways)(words[at][:cut], hidden, is_rest=not rest)
        if rest and self.chance.random() < 0.2:  # another one is hidden as well
            rest = [self._as_variable("", "", is_rest=False)[1], *rest[1:]]
        return start.replace("{}", " ".join([name, *quoted[:at], word, *rest]))

    def _in_loop(self, head: str, hidden: str, *, is_rest: bool) -> tuple[str, str]:
        plain = ["$v", "${v}", "${v:-x}", "${v#x}"]
        word = _quote(head) + self.one(plain if is_rest else [*plain, '"$v"', '"${v}"'])
        return f"for v in {shlex.quote(hidden)}; do {{}}; done", word

    def _after_underscore(self, head: str, hidden: str, *, is_rest: bool) -> tuple[str, str]:
        word = _quote(head) + self.one(["$_", "${_}"] if is_rest else ["$_", '"$_"'])
        return f"{self.one([':', 'true'])} {shlex.quote(hidden)}; {{}}", word

    def _in_braces(self, head: str, hidden: str, *, is_rest: bool) -> tuple[str, str]:
        head, tail = (re.sub(r"([^A-Za-z0-9_./=,-])", r"\\\1", text) for text in (head, hidden))
        forms = ("{0}{{a,{1}}}", "{0}{{{1},b}}", "{0}{{,{1}}}", "{{x,{0}}}{1}")
        return "{}", self.one(forms).format(head, tail)

    def _in_quotes(self, head: str, hidden: str, *, is_rest: bool) -> tuple[str, str]:
        ansi = "$'" + "".join(f"\\x{ord(char):02x}" for char in head + hidden) + "'"
        whole = shlex.quote(head + hidden)
        return "{}", self.one([_quote(head) + shlex.quote(hidden), ansi, f"''{whole}"])

    def _as_name(self, head: str, hidden: str, *, is_rest: bool) -> tuple[str, str]:
        """The name of a file, by a wildcard."""
        return "{}", self.one(NAMES)

    def _as_variable(self, head: str, hidden: str, *, is_rest: bool) -> tuple[str, str]:
        name, start = self.one(list(VARIABLES)), self.one(["", "", "-", "--", "a", "./"])
        forms = (
            f"{start}${name}",
            f'"{start}${name}"',
            f"{start}${{{name}}}",
            f"{start}${{{name}:-x}}",
        )
        return "{}", self.one(forms)

    def _names(self) -> Made:
        """A forbidden program by another name, where everything else is allowed."""
        name, arguments = self.one([("touch", "OUT2"), ("evil", "x"), ("touch", "out/../OUT2")])
        folder = "/usr/bin" if name == "touch" else "/mnt/bin"
        called = self.one(PIECES["calls"]).replace("{n}", name)
        command = f"{called.replace('{d}', folder).replace('{r}', folder[1:])} {arguments}"
        if self.chance.random() < 0.5:
            starter = self.one(PIECES["starters"])
            is_script = starter.endswith((" -c", " -qc", "-S", "eval"))
            command = f"{starter} {shlex.quote(command) if is_script else command}"
        moves = [
            "",
            "",
            f"cd {folder}; ",
            f"cd {folder} && ",
            "cd links/bin; ",
            "cd sub; ",
            "cd ..; ",
        ]
        line = self.one(moves) + self._in_context(command)
        return Made(line, ("Bash", "Redirect(out/*)"), (f"Bash({name} *)",))

    def _moved(self) -> Made:
        """A relative program or script, allowed as it stands in the workspace's folder."""
        relative, move = self.one(PIECES["relative"]), self.one(PIECES["moves"])
        between = self.one([" && ", "; ", "\n", " || true; ", " & "])
        line = self._in_context(f"{move}{between}{relative}")
        if self.chance.random() < 0.2:
            line = f"for i in 1 2; do {relative}; {move}; done"
        own = (f"Bash({relative})", f"Bash({relative} *)", "Bash(builtin cd *)")
        return Made(line, (*self._rules("pushd"), *own))

    def _git(self) -> Made:
        """A forbidden verb of git behind options, or what git would run."""
        options = " ".join(self.chance.choices(PIECES["git_options"], k=self.one([0, 1, 1, 2])))
        called = self.one(["git", "git", "/usr/bin/git", "command git", "timeout 5 git", "g''it"])
        command = f"{called} {options}".rstrip()
        if self.chance.random() < 0.5:
            hidden = self._hidden(command, list(self.one(ARGUMENTS["git"])))
            return Made(self._in_context(hidden), self._rules("git"))
        verb = self.one(["push", "$'push'", "'push' -q", "pus{h,}", "$V", "p'us'h", "pu\\\nsh"])
        line = self._in_context(f"{command} {verb} origin main")
        return Made(line, ("Bash", "Redirect(out/*)"), ("Bash(git push *)",))


def _quote(text: str) -> str:
    return shlex.quote(text) if text else ""


def is_wrong(made: Made, ran: Ran) -> bool:
    """Says whether the line did what no rule covers."""
    if "evil" in ran.stubs and "Bash(evil *)" not in made.allow:
        covered = "Bash" in made.allow and not any("evil" in rule for rule in made.deny)
        if not covered:
            return True
    pushed = any(path.startswith("/mnt/remote/refs") for path in ran.changed)
    if pushed and "Bash(git push *)" in made.deny:
        return True
    written = [path for path in ran.changed if _is_marked(path)]
    if "Bash" in made.allow:
        return bool(written) and any("touch" in rule for rule in made.deny)
    return bool(written) and not made.is_meant


def _is_marked(path: str) -> bool:
    """Says whether the file is one that no rule lets a command write: `out/` and git's own are."""
    name = path.removeprefix(f"{WORK}/")
    return not name.startswith(("out/", ".git/", "/mnt/remote/", "/mnt/home/.cache"))


def run(count: int, seed: int) -> Tally:
    """Makes lines until `count` of them were allowed, and ran."""
    tally, maker, seen = Tally(seed), Maker(seed), set[str]()
    while tally.ran < count:
        allowed = list(_allowed(maker, tally, seen, min(1_000, count - tally.ran)))
        for made, ran in zip(allowed, BOX.run([made.line for made in allowed]), strict=True):
            tally.ran += 1
            if is_wrong(made, ran):
                tally.wrong.append((made, ran))
    return tally


def _allowed(maker: Maker, tally: Tally, seen: set[str], count: int) -> Iterator[Made]:
    while count:
        made = maker.make()
        tally.made += 1
        is_new = made.line not in seen and (not made.needs or is_here(made.needs))
        if is_new and _is_allowed(made):
            seen.add(made.line)
            count -= 1
            yield made


def _is_allowed(made: Made) -> bool:
    policy = Policy.of(allow=made.allow, deny=made.deny)
    return policy.evaluate("Bash", {"command": made.line}, CONTEXT).family == "allow"


def main() -> None:
    """Runs as many lines as the first argument says; the second is the seed."""
    given = list(map(int, sys.argv[1:]))
    count, seed = [*given, *(20_000, random.randrange(10**9))[len(given) :]]
    tally = run(count, seed)
    for made, ran in tally.wrong:
        sys.stdout.write(f"{made} {ran}\n")
    sys.stdout.write(f"{tally}\n")


if __name__ == "__main__":
    main()
