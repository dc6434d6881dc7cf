"""The command line of a sandbox holds every flag it must."""

from __future__ import annotations

from workspaces.domain.argv import (
    Layout,
    as_person,
    bubblewrap_argv,
    environment,
    shown_argv,
    with_mounts,
)

_LAYOUT = Layout(
    bwrap="/usr/bin/bwrap",
    workspace="/data/workspaces/w",
    home="/data/homes/7",
    settings="/data/settings/7",
    files={"/etc/passwd": 10},
    seccomp=11,
    status=12,
    tools=("/x/rg",),
    env=environment({"A": "b"}),
)


def test_every_flag_is_there_and_the_command_comes_last() -> None:
    argv = bubblewrap_argv(_LAYOUT, ("bash", "-c", "--share-net"))
    text = " ".join(argv[: argv.index("--")])
    for words in (
        "--unshare-all --unshare-user --disable-userns --uid 1000 --gid 1000",
        "--die-with-parent --new-session --cap-drop ALL --hostname box",
        "--ro-bind /usr /usr",
        "--ro-bind-data 10 /etc/passwd",
        "--size 67108864 --tmpfs /dev/shm --size 268435456 --tmpfs /tmp",
        "--bind /data/workspaces/w /workspace --bind /data/homes/7 /home/agent",
        "--remount-ro /dev --remount-ro / --chdir /workspace --clearenv",
        "--setenv A b",
        "--seccomp 11 --json-status-fd 12",
        "--ro-bind /x/rg /opt/bin/rg",
    ):
        assert words in text
    assert "--share-net" not in text
    inside = argv[argv.index("--") + 1 :]
    assert inside[0] == "prlimit"
    assert inside[-3:] == ("bash", "-c", "--share-net")


def test_what_must_come_after_the_mounts_does() -> None:
    argv = bubblewrap_argv(_LAYOUT, ("true",))
    last_bind = max(i for i, word in enumerate(argv) if word in {"--bind", "--ro-bind", "--tmpfs"})
    assert argv.index("--remount-ro") > last_bind


def test_a_read_only_layout_binds_nothing_writable() -> None:
    layout = Layout(
        "/usr/bin/bwrap", "/w", "/h", "/s", files={}, seccomp=3, read_only=True, env=environment()
    )
    assert "--bind" not in bubblewrap_argv(layout, ("true",))


def test_root_becomes_a_person_after_the_mounts_were_made() -> None:
    argv = with_mounts({"/a": "/b"}, as_person(200_001, 200_002, ("bwrap", "x")))
    assert argv.index("/a") < argv.index("setpriv") < argv.index("bwrap")
    assert argv[argv.index("setpriv") :][:7] == (
        *("setpriv", "--reuid", "200001", "--regid", "200002", "--clear-groups"),
        "--inh-caps=-all",
    )


def test_the_process_list_shows_the_command_and_nothing_of_the_server() -> None:
    options, argv = shown_argv(bubblewrap_argv(_LAYOUT, ("ls", "--", "/data")), 9)
    assert "/data/homes/7" in options
    assert "--" not in options
    assert argv[:5] == ("./bwrap", "--args", "9", "--", "prlimit")
    assert argv[-4:] == ("--", "ls", "--", "/data")
