"""Links: whatever a file is called, no tool yields or changes what the rules deny for it."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.domain.rules.text import Family
from agents.domain.rules.verdict import RuleEntry
from agents.engine.ports.tools import Tool, ToolFailure
from agents.selectors.permissions.path_checks import CallCheck, LinkCheck
from agents.selectors.permissions.policies import BUILT_IN, Judged, Rules
from agents.tools.bash import BashTool
from agents.tools.edit import EditTool
from agents.tools.glob import GlobTool
from agents.tools.grep import GrepTool
from agents.tools.mm.edit_file import EditFileTool
from agents.tools.mm.read_file import ReadFileTool
from agents.tools.mm.write_file import WriteFileTool
from agents.tools.read import ReadTool
from agents.tools.write import WriteTool
from maia_web.lib.ids import new_id
from tests.fakes import tool_context
from tests.support.tools import run_tool
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.real_paths import RealPaths
from workspaces.files.store import open_files
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.folders import folders_of

TOOLS: dict[str, Tool] = {
    tool.spec.name: tool
    for tool in (ReadTool(), WriteTool(), EditTool(), GrepTool(), GlobTool(), BashTool(),
                 ReadFileTool(), WriteFileTool(), EditFileTool())
}  # fmt: skip
RULED = ("Read", "Write", "Edit", "Grep", "Glob", "Redirect")
_numbers = itertools.count(90_000 + os.getpid() % 1_000 * 10)


def always(check: CallCheck) -> Callable[[], CallCheck]:
    return lambda: check


@dataclass
class Tree:
    """A workspace with files of one word each, and rules about it."""

    place: Place
    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    allow: tuple[str, ...] = ("Read", "Write", "Edit", "Grep", "Glob", "Bash", "Redirect")

    @property
    def folder(self) -> Path:
        return folders_of(self.place).workspace

    @property
    def rules(self) -> Rules:
        lists: tuple[tuple[Family, tuple[str, ...]], ...] = (
            ("deny", self.deny),
            ("ask", self.ask),
            ("allow", self.allow),
        )
        entries = [RuleEntry(family, text) for family, texts in lists for text in texts]
        return Rules((*BUILT_IN, *entries), place=self.place)

    def judge(self, tool: str, input: dict[str, Any]) -> Judged:
        return self.rules.judge(tool, input, RealPaths(self.place))

    def put(self, path: str, word: str = "") -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{word or path.replace('/', '-')}-word\n")
        file.chmod(0o666)  # the tests may be root, commands never are
        for folder in file.relative_to(self.folder).parents:
            if str(folder) != ".":
                (self.folder / folder).chmod(0o777)

    async def call(
        self, tool: str, *, meanwhile: Callable[[], None] = lambda: None, **input: Any
    ) -> str:
        """Runs a call as a turn does; returns its verdict where that is no allow."""
        judged = self.judge(tool, input)
        if judged.verdict.family != "allow":
            return judged.verdict.family
        meanwhile()
        return await self.run(tool, input, lambda: CallCheck.of(self.rules.policy, tool, judged))

    async def run(self, tool: str, input: dict[str, Any], check: Callable[[], CallCheck]) -> str:
        async def current() -> CallCheck:
            return check()

        context = replace(
            tool_context(),
            files=open_files(self.place, current),
            sandbox=open_sandbox(self.place),
        )
        try:
            output = await run_tool(TOOLS[tool], input, context)
        except ToolFailure as failure:
            return str(failure)
        return output.text + "".join(diff.old_text or "" for diff in output.diffs)

    async def attach(self, path: str) -> str:
        """What the model reads where a person typed `@path`."""

        async def current() -> LinkCheck:
            return LinkCheck(self.rules.policy)

        try:
            return (await open_files(self.place, current).read(path, max_bytes=999)).text
        except FileError as error:
            return error.code


@pytest.fixture
async def tree() -> Tree:
    await _need_sandbox()
    return Tree(_place())


async def _need_sandbox() -> None:
    found = await probed()
    if found.bwrap is None:
        if os.environ.get("CI") == "true":
            pytest.fail(found.problem)
        pytest.skip(found.problem)


def _place() -> Place:
    number = next(_numbers)
    return Place(new_id(), number, number)


# --- the cases that were seen ------------------------------------------------------------------


def linked(tree: Tree) -> Tree:
    """A clone whose `docs` leads to `.env` by a link, a hard link and links of folders."""
    tree.put(".env", "secret")
    tree.put("secrets/key", "secret")
    tree.put("docs/plain")
    tree.put("docs/other")
    docs = tree.folder / "docs"
    (docs / "x").symlink_to("../.env")
    (docs / "y").symlink_to("x")
    (docs / "d").symlink_to("../secrets")
    (docs / "e").symlink_to("d")
    (docs / "full").symlink_to("/workspace/.env")
    (docs / "f").symlink_to("/workspace/secrets")
    os.link(tree.folder / ".env", docs / "hard")
    tree.deny = tuple(f"{tool}({path})" for tool in RULED for path in (".env", "secrets/**"))
    return tree


THROUGH = (
    "docs/x",
    "docs/y",
    "docs/hard",
    "docs/d/key",
    "docs/e/key",
    "docs/full",
    "docs/f/key",
    "docs/../docs/x",
    "./docs/y",
)


@pytest.mark.parametrize("path", THROUGH)
@pytest.mark.parametrize("tool", ["Read", "read_file", "Write", "write_file", "Edit", "edit_file"])
async def test_a_link_gives_no_file_tool_what_is_denied(tree: Tree, tool: str, path: str) -> None:
    linked(tree)
    pair = {"old": "secret", "new": "evil"}
    edits = {"edits": [{**pair, "old_string": "secret", "new_string": "evil"}]}
    more: dict[str, dict[str, Any]] = {"Write": {"content": "evil"}, "Edit": edits}
    name = {"write_file": "Write", "edit_file": "Edit"}.get(tool, tool)
    assert await tree.call(tool, path=path, **more.get(name, {})) == "deny"
    assert (tree.folder / ".env").read_text() == "secret-word\n"
    assert (tree.folder / "secrets/key").read_text() == "secret-word\n"


@pytest.mark.parametrize(
    "path", ["docs/x", "docs/hard", "docs/d/key", "docs/d/new", "docs/d/n/new", "docs/f/new"]
)
async def test_a_redirection_through_a_link_is_denied(tree: Tree, path: str) -> None:
    linked(tree)
    for line in (
        f"echo evil > {path}",
        f"echo evil | cat >> ./{path}",
        f"echo evil 2> /workspace/{path}",
        f"echo evil >| docs/d/../{path}",
        f"bash -c 'echo evil > {path}'",
    ):
        assert await tree.call("Bash", command=line) == "deny", line
    assert await tree.call("Bash", command="echo fine > docs/plain") != "deny"


async def test_a_redirection_through_a_link_to_the_rules_is_denied(tree: Tree) -> None:
    tree.put("docs/plain")
    (tree.folder / "docs/r").symlink_to("../.maia/settings.json")
    (tree.folder / "docs/m").symlink_to("/workspace/.maia")
    for path in ("docs/r", "docs/m/settings.json", "docs/m/../.maia/settings.json"):
        assert await tree.call("Bash", command=f"echo evil > {path}") == "deny"


async def test_a_further_name_of_what_programs_obey_is_asked_about(tree: Tree) -> None:
    tree.put(".git/config")
    tree.put("docs/plain")
    (tree.folder / "docs/x").symlink_to("../.git/config")
    (tree.folder / "docs/g").symlink_to("../.git")
    os.link(tree.folder / ".git/config", tree.folder / "docs/hard")
    for path in ("docs/x", "docs/hard", "docs/g/hooks/pre-commit"):
        assert await tree.call("Write", path=path, content="evil") == "ask"
        for line in (f"echo evil > {path}", f"cp docs/plain {path}", f"tee {path}"):
            assert await tree.call("Bash", command=line) == "ask", line
    assert await tree.call("Bash", command="cp docs/plain docs/other") != "ask"


async def test_what_only_a_running_shell_knows_is_asked(tree: Tree) -> None:
    linked(tree)
    for path in ("/proc/self/cwd/.env", "/proc/self/root/workspace/.env", "/proc/1/cwd/x"):
        assert await tree.call("Bash", command=f"echo evil > {path}") == "ask"


async def test_searches_leave_out_what_reading_is_denied(tree: Tree) -> None:
    linked(tree)
    tree.deny = ("Read(.env)", "Read(secrets/**)")
    for path in (None, ".", "docs", "docs/hard", "secrets", "docs/d", "docs/x", "docs/f"):
        where: dict[str, Any] = {} if path is None else {"path": path}
        for mode in ("content", "files_with_matches", "count"):
            found = await tree.call("Grep", pattern="word", output_mode=mode, **where)
            assert "secret" not in found.replace("secrets/**", ""), (path, mode, found)
            assert ".env" not in found
            assert "hard" not in found
        found = await tree.call("Glob", pattern="**/*", **where)
        assert not {".env", "secrets/key", "docs/hard"} & set(found.split("\n")), (path, found)
    assert "docs/plain" in await tree.call("Glob", pattern="**/*")
    assert "docs-plain-word" in await tree.call("Grep", pattern="word", output_mode="content")


async def test_a_name_with_a_line_break_hides_nothing(tree: Tree) -> None:
    tree.put("secrets/a\nb", "secret")
    tree.put("docs/plain")
    tree.deny = ("Read(secrets/**)",)
    for mode in ("content", "count"):
        found = await tree.call("Grep", pattern="word", output_mode=mode)
        assert "secret" not in found
        assert "docs/plain" in found


async def test_a_twin_that_is_not_to_be_read_is_not_told(tree: Tree) -> None:
    tree.put("cle\u0301s.md", "secret")
    tree.deny = ("Read(cl\u00e9s.md)",)
    assert "looks the same" not in await tree.call("Write", path="cl\u00e9s.md", content="x")
    tree.deny = ()
    (tree.folder / "cl\u00e9s.md").unlink()
    assert "looks the same" in await tree.call("Write", path="cl\u00e9s.md", content="x")


async def test_names_that_are_no_text_break_no_search(tree: Tree) -> None:
    tree.put("docs/plain")
    for name in (b"\xff" * 200, b"\xe9"):
        (tree.folder / os.fsdecode(name)).write_text("word\n")
    tree.deny = ("Read(secrets/**)",)
    assert "docs/plain" in await tree.call("Grep", pattern="word")
    assert "docs/plain" in await tree.call("Glob", pattern="**/*")


async def test_as_many_as_asked_for_are_found_beside_what_is_left_out(tree: Tree) -> None:
    for number in range(130):
        tree.put(f"secrets/{number}")
        tree.put(f"docs/{number}")
        os.utime(tree.folder / f"docs/{number}", (1, 1))
    tree.deny = ("Read(secrets/**)",)
    found = (await tree.call("Glob", pattern="**/*")).split("\n")
    assert len(found) == 101
    assert all(path.startswith("docs/") for path in found[:100])


async def test_an_ask_counts_through_a_link_and_so_does_a_missing_allow(tree: Tree) -> None:
    linked(tree)
    tree.deny, tree.ask = (), ("Read(.env)", "Write(.env)")
    assert await tree.call("Read", path="docs/x") == "ask"
    assert await tree.call("Write", path="docs/hard", content="x") == "ask"
    tree.ask, tree.allow = (
        (),
        ("Read(docs/**)", "Write(docs/**)", "Redirect(docs/**)", "Bash(echo *)"),
    )
    assert await tree.call("Read", path="docs/x") == "ask"
    assert await tree.call("Write", path="docs/d/new", content="x") == "ask"
    assert await tree.call("Bash", command="echo x > docs/x") == "ask"
    assert "docs-plain" in await tree.call("Read", path="docs/plain")
    (tree.folder / "docs/z").symlink_to("plain")
    assert "docs-plain" in await tree.call("Read", path="docs/z")
    assert "[exit code: 0]" in await tree.call("Bash", command="echo x > docs/z")


async def test_the_reason_says_where_a_link_leads(tree: Tree) -> None:
    linked(tree)
    tree.deny = ("Read(.env)", "Redirect(.env)")
    verdict = tree.judge("Read", {"path": "docs/y"}).verdict
    assert (verdict.rule, verdict.part) == ("Read(.env)", "docs/y → .env")
    verdict = tree.judge("Bash", {"command": "date > docs/y"}).verdict
    assert verdict.part == "docs/y → .env"


async def test_what_may_not_be_read_is_neither_shown_nor_edited_by_writing(tree: Tree) -> None:
    tree.put(".env", "secret")
    tree.deny = ("Read(.env)",)
    edits = [{"old_string": "secret", "new_string": "x"}]
    assert "deny reading .env" in await tree.call("Edit", path=".env", edits=edits)
    assert (tree.folder / ".env").read_text() == "secret-word\n"
    said = await tree.call("Write", path=".env", content="new\n")
    assert "secret" not in said
    assert (tree.folder / ".env").read_text() == "new\n"


async def test_a_reference_through_a_link_attaches_nothing_denied(tree: Tree) -> None:
    linked(tree)
    for path in ("docs/x", "docs/y", "docs/hard", "docs/d/key"):
        assert await tree.attach(path) == "rule"
    assert "secret" in await tree.attach(".env")  # who names it, has it (seed M §11.4)
    assert "plain" in await tree.attach("docs/plain")


async def test_a_link_that_changes_after_the_decision_leads_nowhere(tree: Tree) -> None:
    linked(tree)
    link = tree.folder / "docs/link"

    def point(target: str) -> None:
        link.unlink(missing_ok=True)
        link.symlink_to(target)

    point("plain")
    assert "rules deny" in await tree.call("Read", path="docs/link", meanwhile=lambda: point("x"))
    point("plain")
    assert "rules deny" in await tree.call(
        "Write", path="docs/link", content="evil", meanwhile=lambda: point("x")
    )
    assert (tree.folder / ".env").read_text() == "secret-word\n"
    tree.allow = ("Read(docs/link)", "Read(docs/plain)")
    point("plain")
    said = await tree.call("Read", path="docs/link", meanwhile=lambda: point("other"))
    assert "another file" in said


async def test_a_file_that_is_not_there_yet_is_judged_where_it_would_be(tree: Tree) -> None:
    linked(tree)
    (tree.folder / "docs/later").symlink_to("../secrets/later")
    assert await tree.call("Write", path="docs/later", content="evil") == "deny"
    tree.folder.joinpath("docs/free").mkdir()

    def exchange() -> None:
        (tree.folder / "docs/free").rmdir()
        (tree.folder / "docs/free").symlink_to("../secrets")

    said = await tree.call("Write", path="docs/free/n/f", content="evil", meanwhile=exchange)
    assert "rules deny" in said
    assert [one.name for one in (tree.folder / "secrets").iterdir()] == ["key"]


# --- links that are exchanged all the time ------------------------------------------------------


@contextmanager
def exchanging(link: Path, *targets: str) -> Iterator[None]:
    """Puts another link in the place of one as fast as it can."""
    stop = threading.Event()

    def work() -> None:
        for target in itertools.cycle(targets):
            if stop.is_set():
                return
            new = link.with_name(".new")
            if target.startswith("="):
                os.link(link.parent / target[1:], new)
            else:
                new.symlink_to(target)
            new.rename(link)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


async def test_no_exchange_at_the_right_moment_reads_or_writes_it(tree: Tree) -> None:
    linked(tree)
    tree.deny = tuple(f"{tool}(.env)" for tool in RULED)
    judged = tree.judge("Read", {"path": "docs/plain"})
    reads = writes = 0
    with exchanging(tree.folder / "docs/swap", "plain", "../.env", "=plain", "=hard"):
        for _ in range(150):
            for tool, input in (
                ("Read", {"path": "docs/swap"}),
                ("Write", {"path": "docs/swap", "content": "mine\n"}),
            ):
                check = CallCheck.of(tree.rules.policy, tool, judged)
                said = await tree.run(tool, input, always(check))
                assert "secret" not in said
                reads += "word" in said
                writes += "written" in said
            assert (tree.folder / ".env").read_text() == "secret-word\n"
    assert reads + writes > 0


# --- any tree, any rules --------------------------------------------------------------------------

NAMES = ("a", "b", "c", "d")
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
LINKS = st.tuples(PATHS, st.sampled_from(["soft", "full", "hard", "folder"]), PATHS)
Road = Callable[[Tree, str], Awaitable[str]]
ROADS: dict[str, Road] = {
    "Read": lambda tree, path: tree.call("Read", path=path),
    "Write": lambda tree, path: tree.call("Write", path=path, content="evil"),
    "Edit": lambda tree, path: tree.call("Edit", path=path, old_string="word", new_string="evil"),
    "read_file": lambda tree, path: tree.call("read_file", path=path),
    "write_file": lambda tree, path: tree.call("write_file", path=path, content="evil"),
    "edit_file": lambda tree, path: tree.call(
        "edit_file", path=path, edits=[{"old": "word", "new": "evil"}]
    ),
    "Grep": lambda tree, path: tree.call(
        "Grep", path=path, pattern="word", output_mode="content"
    ),
    "Glob": lambda tree, path: tree.call("Glob", path=path, pattern="**/*"),
    "Bash": lambda tree, path: tree.call("Bash", command=f"echo evil > {path}"),
}  # fmt: skip


def _grow(tree: Tree, files: list[str], links: list[tuple[str, str, str]]) -> None:
    """Makes what can be made; two names for one thing are wanted."""
    for path in files:
        try:
            tree.put(path)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
    for name, kind, target in links:
        at, to = tree.folder / name, tree.folder / target
        try:
            at.parent.mkdir(parents=True, exist_ok=True)
            if kind == "hard":
                os.link(to, at, follow_symlinks=False)
            elif kind == "full":
                at.symlink_to(f"/workspace/{target}")
            else:
                above = "../" * name.count("/")
                at.symlink_to(
                    above + (target if kind == "soft" else target.rpartition("/")[0] or ".")
                )
        except OSError:
            continue


def _denied(tree: Tree, denied: list[str]) -> dict[Path, bytes]:
    """Returns what lies at denied paths, by no link: it knows nothing of the product."""
    found = {}
    for above, folders, names in os.walk(tree.folder):
        folders[:] = [one for one in folders if not (Path(above) / one).is_symlink()]
        for name in names:
            file = Path(above) / name
            path = str(file.relative_to(tree.folder))
            if not file.is_symlink() and any(path == d or path.startswith(f"{d}/") for d in denied):
                found[file] = file.read_bytes()
    return found


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    files=st.lists(PATHS, min_size=2, max_size=8, unique=True),
    links=st.lists(LINKS, min_size=1, max_size=8),
    denied=st.lists(PATHS, min_size=1, max_size=3),
    asked=PATHS,
    road=st.sampled_from([*ROADS, "@"]),
)
async def test_no_road_leads_to_what_is_denied(
    sandboxed: None,
    files: list[str],
    links: list[tuple[str, str, str]],
    denied: list[str],
    asked: str,
    road: str,
) -> None:
    tree = Tree(_place())
    tree.deny = tuple(f"{tool}({d}{end})" for tool in RULED for d in denied for end in ("", "/**"))
    _grow(tree, files, links)
    secrets = _denied(tree, denied)
    words = {content.decode() for content in secrets.values()}
    states = {(one.stat().st_dev, one.stat().st_ino) for one in secrets}
    if road == "@":
        is_named = any(asked == d or asked.startswith(f"{d}/") for d in denied)
        said = "" if is_named else await tree.attach(asked)
    else:
        said = await ROADS[road](tree, asked)
    assert not any(word.strip() in said for word in words)
    assert _denied(tree, denied) == secrets
    if road == "Glob":
        for line in said.split("\n"):
            file = tree.folder / line
            if file.is_file():
                assert (file.stat().st_dev, file.stat().st_ino) not in states


@pytest.fixture
async def sandboxed() -> None:
    await _need_sandbox()
