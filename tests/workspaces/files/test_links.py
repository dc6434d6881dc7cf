"""Links with full paths, as `ln -s "$PWD/x" y` makes them: inside is inside, the rest refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files import open_files
from workspaces.files.local import LocalFiles

_ROUNDS = 1_000


@pytest.fixture
def files(place: Place, workspace: Path) -> LocalFiles:
    made = LocalFiles(place)
    made.write("docs/A.md", "hello\n")
    made.write("docs/deep/B.md", "deep\n")
    return made


@pytest.mark.parametrize(
    ("links", "path", "text"),
    [
        ({"l": "/workspace/docs/A.md"}, "l", "hello\n"),
        ({"l": "/workspace//./docs/deep/../A.md"}, "l", "hello\n"),
        ({"l": "/workspace/docs"}, "l/deep/B.md", "deep\n"),
        ({"l": "/workspace"}, "l/docs/A.md", "hello\n"),
        ({"l": "/etc/../workspace/docs/A.md"}, "l", "hello\n"),
        ({"l": "/workspace/m", "m": "docs/n", "docs/n": "/workspace/docs/A.md"}, "l", "hello\n"),
        ({"docs/up": "../m", "m": "/workspace/docs/deep"}, "docs/up/B.md", "deep\n"),
    ],
)
def test_what_ends_inside_is_read(
    files: LocalFiles, workspace: Path, links: dict[str, str], path: str, text: str
) -> None:
    for name, target in links.items():
        (workspace / name).symlink_to(target)
    assert files.read(path).text == text
    assert files.read(path).path == path
    assert files.read_bytes(path) == text.encode()


@pytest.mark.parametrize(
    "target",
    [
        "/etc/passwd",
        "/workspace-evil/x",
        "/workspace/../etc/passwd",
        "/home/agent/notes",
        "/home/agent/../../workspace/../home/agent/notes",
        "/opt/skills/x",
        "/proc/self/root/etc/passwd",
        "/workspace/loop",
        "/workspace/out",
        "/",
    ],
)
def test_what_ends_outside_is_refused(
    files: LocalFiles, home: Path, workspace: Path, target: str
) -> None:
    (home / "notes").write_text("mine")
    (workspace / "loop").symlink_to("/workspace/loop")
    (workspace / "out").symlink_to("/etc/passwd")
    (workspace / "l").symlink_to(target)
    for use in (files.read, files.read_bytes, files.entries, files.locate):
        with pytest.raises(FileError) as caught:
            use("l")
        assert caught.value.code == "outside", use
    with pytest.raises(FileError):
        files.write("l", "x")
    with pytest.raises(FileError):
        files.write("l/x", "x")
    assert (home / "notes").read_text() == "mine"
    assert files.remove("l")
    assert (workspace / "loop").is_symlink()


def test_a_link_of_the_home_stays_in_the_home(
    place: Place, files: LocalFiles, home: Path, workspace: Path
) -> None:
    (home / "notes").write_text("mine")
    (home / "l").symlink_to("/home/agent/notes")
    (home / "w").symlink_to("/workspace/docs/A.md")
    (home / "s").symlink_to("/home/agent/.maia/bashrc")
    agents = LocalFiles(place, for_agent=True)
    assert agents.read("~/l").text == "mine"
    agents.write("~/l", "ours")
    assert (home / "notes").read_text() == "ours"
    for name in ("w", "s"):
        with pytest.raises(FileError) as caught:
            agents.read(f"~/{name}")
        assert caught.value.code == "outside"


def test_writing_goes_where_the_link_leads_and_it_stays_a_link(
    files: LocalFiles, workspace: Path
) -> None:
    (workspace / "l").symlink_to("/workspace/docs/A.md")
    (workspace / "d").symlink_to("/workspace/docs")
    (workspace / "new").symlink_to("/workspace/docs/new.md")
    files.write("l", "there", files.read("l").version)
    files.write("d/x/C.md", "made")
    files.write("new", "new")
    assert files.create("d", "D.md") == "d/D.md"
    assert files.attach("pic.png", [b"x"], "d") == "d/pic.png"
    assert (workspace / "docs/A.md").read_text() == "there"
    assert (workspace / "docs/x/C.md").read_text() == "made"
    assert (workspace / "docs/new.md").read_text() == "new"
    assert all((workspace / name).is_symlink() for name in ("l", "d", "new"))
    files.remove("d/D.md")
    files.remove("l")
    assert not (workspace / "docs/D.md").exists()
    assert (workspace / "docs/A.md").exists()


def test_rules_are_not_written_through_a_link(
    place: Place, files: LocalFiles, workspace: Path
) -> None:
    (workspace / ".maia").mkdir(exist_ok=True)
    (workspace / "l").symlink_to("/workspace/.maia/settings.json")
    with pytest.raises(FileError) as caught:
        LocalFiles(place, for_agent=True).write("l", "{}")
    assert caught.value.code == "protected"


async def test_lists_and_searches_agree(
    place: Place, files: LocalFiles, workspace: Path, sandboxed: None
) -> None:
    (workspace / "d").symlink_to("/workspace/docs")
    (workspace / "x").symlink_to("/etc")
    shown = {one.name: (one.dir, one.link) for one in files.entries("")}
    assert shown == {"d": (True, True), "docs": (True, False), "x": (False, True)}
    assert [one.path for one in files.entries("d")] == ["d/deep", "d/A.md"]
    agents = open_files(place)
    assert [one.path for one in await agents.find("**/B.md", "d", limit=9)] == ["docs/deep/B.md"]
    found = await agents.search(("-l", "-e", "hello"), "d", max_output=999)
    assert found.strip() == "docs/A.md"


@contextmanager
def exchanging(link: Path, targets: tuple[str, ...]) -> Iterator[None]:
    """Gives the link one target after the other, as fast as it can."""
    stop = threading.Event()

    def loop() -> None:
        while not stop.is_set():
            for target in targets:
                made = link.with_name(".made")
                made.symlink_to(target)
                made.rename(link)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_link_put_there_meanwhile_lets_nothing_out(
    files: LocalFiles, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "A.md").write_text("SECRET")
    link = workspace / "l"
    link.symlink_to("/workspace/docs")
    seen: set[str] = set()
    with exchanging(link, ("/workspace/docs", str(tmp_path), "docs", "/etc")):
        for _round in range(_ROUNDS):
            try:
                seen.add(files.read("l/A.md").text)
                files.write("l/new", "mine")
            except FileError as error:
                seen.add(error.code)
    assert "SECRET" not in seen
    assert "hello\n" in seen
    assert [one.name for one in tmp_path.iterdir()] == ["A.md"]


def test_without_openat2_links_are_looked_up_all_the_same(
    files: LocalFiles, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workspaces.files.beneath.has_openat2", lambda: False)
    (workspace / "l").symlink_to("/workspace/docs")
    (workspace / "m").symlink_to("docs/A.md")
    assert files.read("l/A.md").text == "hello\n"
    assert files.read("m").text == "hello\n"
    (workspace / "out").symlink_to("/etc/passwd")
    with pytest.raises(FileError):
        files.read("out")


@pytest.mark.parametrize("link", [".", "/workspace"])
def test_the_rules_folder_stays_whatever_link_leads_to_it(
    files: LocalFiles, workspace: Path, home: Path, link: str
) -> None:
    (workspace / ".maia").mkdir(exist_ok=True)
    (workspace / "l").symlink_to(link)
    (home / "l").symlink_to(".")
    for path, code in (("l/.maia", "kept"), ("l/l/.maia", "kept"), ("~/l/.maia", "denied")):
        for act in (files.remove, lambda path: files.rename(path, "x")):
            with pytest.raises(FileError) as caught:
                act(path)
            assert caught.value.code == code, path
    assert (workspace / ".maia").is_dir()
    assert files.rename("l/docs/A.md", "B.md") == "l/docs/B.md"
    assert files.remove("l/docs/B.md")
    assert files.rename("l", "m") == "m"


@pytest.mark.parametrize("link", ["docs", "/workspace/docs"])
def test_the_file_that_was_meant_is_told_through_links_too(
    files: LocalFiles, workspace: Path, link: str
) -> None:
    (workspace / "l").symlink_to(link)
    files.write("docs/r\u00e9sum\u00e9.md", "x")
    with pytest.raises(FileError) as caught:
        files.read("l/re\u0301sume\u0301.md")
    assert caught.value.twin == caught.value.lookalike == "docs/r\u00e9sum\u00e9.md"
    (workspace / "gone").symlink_to("/workspace/none")
    with pytest.raises(FileError) as caught:
        files.read("gone")
    assert (caught.value.lookalike, caught.value.nearest) == ("", "")
