"""A program is known by the file it would be, a verb of git by where git finds it."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from agents.domain.rules.policy import Policy, PolicyContext

HERE = PolicyContext()


def _family(policy: Policy, command: str) -> str:
    return policy.evaluate("Bash", {"command": command}, HERE).family


GIT_FLAGS = [
    "--no-pager", "-P", "--no-replace-objects", "--no-lazy-fetch", "--no-optional-locks",
    "--literal-pathspecs", "--no-literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs",
    "--icase-pathspecs",
]  # fmt: skip
GIT_PLACES = [
    "-C .", "-C sub", "-C ''", "-c a.b=c", "--git-dir=.git", "--git-dir .git", "--work-tree=.",
    "--work-tree .", "--namespace=x", "--namespace x", "--bare", "-p", "--paginate",
    "--exec-path=/x", "--config-env=a.b=HOME", "--config-env a.b=HOME",
]  # fmt: skip
KNOWN_TO_GIT = [
    option
    for option in GIT_FLAGS + GIT_PLACES
    if option not in ("--no-lazy-fetch", "-C ''")  # git 2.44; no word for `split`
]
PUSH = Policy.of(allow=["Bash"], deny=["Bash(git push *)"], ask=["Bash(git commit *)"])
GIT = Policy.of(allow=["Bash(git *)"])


@pytest.mark.parametrize("option", GIT_FLAGS + GIT_PLACES)
def test_no_option_before_it_hides_a_verb_of_git(option: str) -> None:
    for program in ("git", "/usr/bin/git", "command git", "timeout 5 git", "uv run git"):
        assert _family(PUSH, f"{program} {option} push origin main") == "deny"
        assert _family(PUSH, f"{program} {option} commit -m x") == "ask"
    for other in GIT_FLAGS:
        assert _family(PUSH, f"git {option} {other} push") == "deny"
        assert _family(PUSH, f"git {other} {option} push") == "deny"


@pytest.mark.parametrize("command", ["git-push x", "/usr/lib/git-core/git-push", "git '' push"])
def test_a_verb_of_git_has_other_spellings(command: str) -> None:
    assert _family(PUSH, command) != "allow"


@pytest.mark.parametrize("option", GIT_FLAGS)
def test_a_harmless_option_of_git_is_not_asked_about(option: str) -> None:
    assert _family(GIT, f"git {option} log --oneline") == "allow"
    assert _family(PUSH, f"git {option} status") == "allow"


@pytest.mark.parametrize("option", GIT_PLACES)
def test_what_changes_where_git_works_or_what_it_runs_asks(option: str) -> None:
    assert _family(GIT, f"git {option} status") == "ask"
    assert (
        _family(Policy.of(allow=[f"Bash(git {option} status)"]), f"git {option} status") == "allow"
    )


@pytest.mark.parametrize("option", KNOWN_TO_GIT)
def test_git_takes_these_options_before_its_verb(option: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "sub"], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / ".git").symlink_to("sub/.git")
    command = ["git", *option.split(" "), "version"]
    found = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert found.stdout.startswith("git version")


def test_an_unknown_verb_may_be_an_alias_of_what_is_forbidden() -> None:
    assert _family(PUSH, "git pu origin") == "ask"
    assert _family(PUSH, "git $VERB") == "ask"
    assert _family(PUSH, "/usr/bin/git $VERB") == "ask"
    assert _family(PUSH, "git -C $X push") != "allow"
    assert _family(PUSH, "git lfs ls-files") == "allow"
    assert _family(GIT, "git st") == "allow"


REMOVE = Policy.of(allow=["Bash"], deny=["Bash(rm *)"])
SPELLINGS = [
    "rm", "/bin/rm", "/usr/bin/rm", "//bin/rm", "///usr//bin/rm", "/./bin/rm", "/bin/./rm",
    "/usr/bin/../../bin/rm", "../bin/rm", "../../../bin/rm", "./../bin/rm", "../usr/bin/rm",
    "/proc/self/root/bin/rm", "/proc/self/root/usr/bin/rm", "/proc/1/root/bin/rm",
    "/proc/self/root/proc/self/root/bin/rm", "/proc/thread-self/root/bin/rm",
    "/proc/self/task/1/root/bin/rm", "/proc/self/cwd/../bin/rm", "/dev/fd/../../../bin/rm",
    "/opt/x/rm", "/tmp/rm", "~/rm", "~/../../bin/rm", "~+/../bin/rm", "sub/../../bin/rm",
    "r\\m", "'rm'", '"r"m', "/b\\in/rm", "'//bin'/rm",
]  # fmt: skip


@pytest.mark.parametrize("program", SPELLINGS)
def test_a_program_is_denied_by_whatever_path_it_is_called(program: str) -> None:
    certain = program.lstrip("/.").startswith(("bin", "usr/bin", "proc/self/root", "rm"))
    expected = ("deny",) if certain and ".." not in program[3:] else ("deny", "ask")
    assert _family(REMOVE, f"{program} -rf x") in expected


STARTERS = [
    "/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "ld.so",
    "/lib/ld-linux-aarch64.so.1 --argv0 x", "/lib64/ld-linux-x86-64.so.2 --library-path /lib",
    "/lib/ld-musl-x86_64.so.1", "choom -n 5", "choom --adjust 5 --", "ssh-agent", "ssh-agent -t 5",
    "msgexec -i x.po", "msgexec --input=x.po", "msgfilter -i x.po", "busybox", "toybox",
    "/bin/busybox", "eatmydata", "cpulimit -l 50 --", "runcon -t x", "uclampset -m 1",
    "scriptlive -T x -c", "script -qc", "sshpass -p x", "logsave log", "zrun", "chpst -u x",
    "systemd-cat -t x", "tini --", "sem -j 2", "dbus-launch", "xterm -e", "aarch64", "i486",
    "setarch x86_64", "linux32", "direnv exec .", "mise exec --", "rustup run stable", "ccache",
    "cross-env A=1", "coverage run", "mpirun -n 2", "env -C /", "uv run", "npx", "nice -n 5",
    "stdbuf -oL", "xargs", "find . -exec", "exec -a x", "command", "nohup", "timeout 5", "sudo",
    "debconf", "debconf -oc", "debconf --owner x", "fstab-decode", "gpg-agent --daemon",
    "pg_virtualenv -v 15", "switch_root /", "systemd-nspawn -D /x", "systemd-socket-activate -l 1",
    "cmake -E chdir .", "cmake -E time", "make-first-existing-target -c", "gp-collect-app -p on",
    "gprofng collect app -o x.er",
]  # fmt: skip


@pytest.mark.parametrize("starter", STARTERS)
def test_what_starts_another_program_is_looked_through(starter: str) -> None:
    inner = (
        "'rm x'" if starter.endswith("c") and "exec" not in starter and "-" in starter else "rm x"
    )
    assert _family(REMOVE, f"{starter} {inner}") == "deny"
    assert _family(REMOVE, f"{starter} {inner.replace('rm', '//bin/rm')}") == "deny"


RUNNERS = frozenset(
    {
        "zrun", "systemd-cat", "dbus-launch", "xterm", "direnv", "mise", "rustup", "ccache",
        "cross-env", "coverage", "mpirun", "uv", "npx", "gpg-agent", "cmake",
        "systemd-nspawn",
    }
)  # fmt: skip
"""A project's own, and what can do anything anyhow: a rule may allow them."""


@pytest.mark.parametrize("starter", [one for one in STARTERS if one.split(" ")[0] not in RUNNERS])
def test_no_general_allow_covers_what_starts_another_program(starter: str) -> None:
    program = starter.split(" ")[0]
    inner = "'evil x'" if starter.endswith("c") and "exec" not in starter else "evil x"
    assert _family(Policy.of(allow=[f"Bash({program} *)"]), f"{starter} {inner}") == "ask"


def test_what_starts_nothing_is_not_asked_about() -> None:
    for command in ("ssh-agent -s", "choom -p 5", "dpkg-architecture -qDEB_HOST_ARCH"):
        assert _family(Policy.of(allow=[f"Bash({command.split(' ')[0]} *)"]), command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cd /bin && ./rm x", "cd /usr/bin; ./rm x", "cd / && bin/rm x", "cd / && ./usr/bin/rm x",
        "pushd /bin && ./rm x", "(cd /bin && ./rm x)", "cd /usr && cd bin && ./rm x",
        "cd ../bin && ./rm x", "cd $X && ./rm x", "cd - && ./rm x", "cd ~/x && ./rm x",
        "command cd /bin && ./rm x", "popd; ./rm x", "cd sub && ../../bin/rm x",
        "while ./rm x; do cd /bin; done", "cd lnk && ./rm x", "{ cd /bin; } && ./rm x",
        "cd -P /bin && ./rm x", "cd -- /bin && ./rm x", "if cd /bin; then ./rm x; fi",
        "cd /bin && timeout 5 ./rm x", "cd /bin && uv run ./rm x",
        "ln -s /bin/rm t && ./t x", "cp //usr/bin/rm t; ./t x", "unknown-wrapper --x=/bin/rm x",
    ],
)  # fmt: skip
def test_after_cd_a_program_is_the_one_it_is_there(command: str) -> None:
    assert _family(REMOVE, command) in ("deny", "ask")


@pytest.mark.parametrize(
    "command",
    [
        "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "//dev/./stdin", "../dev/stdin",
        "cd /dev && ./stdin", "cd /proc/self && fd/0", "env /dev/stdin", "bash -c '/dev/stdin x'",
        "/proc/thread-self/fd/0", "/proc/self/exe", "/proc/self/root/dev/stdin",
    ],
)  # fmt: skip
def test_what_is_open_is_a_program_nobody_knows(command: str) -> None:
    """`/dev/stdin x < /usr/bin/touch` made the file x where `touch` was denied."""
    assert _family(REMOVE, f"{command} x < /bin/rm") == "ask"


UNKNOWN_NAMES = [
    "uv run $x y", 'npx "$x" y', "npx r$x y", 'npx r"$x" y', "npx t$x y", "uv run /usr/bin/r* x",
    "uv run /bin/${x:-rm} y", "dbus-launch $x y", "npm exec -- $x y", "coverage run {r,x}m y",
]  # fmt: skip


@pytest.mark.parametrize("command", UNKNOWN_NAMES)
def test_a_program_that_only_bash_knows_may_be_a_denied_one(command: str) -> None:
    """`for x in rm; do uv run $x y; done` ran where every command but `rm` was allowed."""
    assert _family(REMOVE, command) in ("deny", "ask")
    assert _family(Policy.of(allow=["Bash"], deny=["Bash(rm x* *)"]), command) != "allow"
    assert _family(Policy.of(allow=["Bash"]), command) == "allow"


@pytest.mark.parametrize("command", ['npx t"$x" y', "uv run pytest $x", "npx eslint *.js"])
def test_what_cannot_become_a_denied_program_is_not_asked_about(command: str) -> None:
    assert _family(REMOVE, command) == "allow"


def test_many_unknown_programs_beside_many_rules_ask_in_time() -> None:
    policy = Policy.of(allow=["Bash"], deny=[f"Bash(danger{n} *)" for n in range(10_000)])
    assert _family(policy, "; ".join(['uv run "$x" y'] * 200)) == "ask"


DEPLOY = Policy.of(allow=["Bash"], deny=["Bash(./deploy.sh *)"])


@pytest.mark.parametrize(
    "command",
    [
        "./deploy.sh", "././deploy.sh x", ".//deploy.sh", "/workspace/deploy.sh",
        "../workspace/deploy.sh", "sub/../deploy.sh", "cd sub && ../deploy.sh",
        "/proc/self/cwd/deploy.sh", "cd / && workspace/deploy.sh", "cd /workspace; ./deploy.sh",
    ],
)  # fmt: skip
def test_a_denied_script_is_denied_by_whatever_path(command: str) -> None:
    assert _family(DEPLOY, command) in ("deny", "ask")


@pytest.mark.parametrize("command", ["./deploy.sh2", "sub/deploy.sh", "cat deploy.sh", "cd x; ls"])
def test_another_file_is_another_program(command: str) -> None:
    assert _family(DEPLOY, command) == "allow"


MOVES = [
    "cd sub",
    "cd ./sub",
    "pushd sub",
    "cd $X",
    "cd ..",
    "cd /tmp",
    "cd a; cd b",
    "builtin cd x",
    "cd -P lnk/..",
    "eval 'c'd x",
]
RELATIVE = [
    "./run.sh --fast", "bin/tool -v", "../run.sh", "bash ./run.sh", "bash run.sh", "sh -eu run.sh",
    "source ./env.sh", ". env.sh", "python run.py", "python3 ./run.py x", "node run.js",
    "perl run.pl", "ruby x/run.rb", "timeout 5 ./run.sh", "env ./run.sh", "uv run run.py",
    "uv run ./run.py", "npx ./x", "xargs ./run.sh", "find . -exec ./run.sh {} +", "bash -c ./x.sh",
    "awk -f run.awk in.txt", "python -E run.py", "python -W ignore run.py",
]  # fmt: skip


@pytest.mark.parametrize("relative", RELATIVE)
def test_after_cd_no_rule_about_a_relative_name_covers_it(relative: str) -> None:
    rules = [f"Bash({relative})", f"Bash({relative} *)", "Bash(cd *)", "Bash(pushd *)"]
    rules += ["Bash(builtin cd x)", "Bash(true)", "Bash(eval 'c'd x)"]
    policy = Policy.of(allow=rules)
    assert _family(policy, relative) == "allow", "the rule covers it where nothing moved"
    for move, after in itertools.product(MOVES, ("&&", ";", "\n")):
        assert _family(policy, f"{move} {after} {relative}") == "ask"
    assert _family(policy, f"(cd sub && {relative})") == "ask"
    assert _family(policy, f"while true; do {relative}; cd sub; done") == "ask"
    for still in ("cd .", "cd /workspace", "(cd sub && true)", "(cd sub; true)"):
        assert _family(policy, f"{still} && {relative}") == "allow"
    assert _family(policy, f"{relative}; cd sub") == "allow"
    assert (
        _family(Policy.of(allow=[f"Bash(cd sub && {relative})"]), f"cd sub && {relative}")
        == "allow"
    )


@pytest.mark.parametrize(
    ("allow", "command"),
    [
        (["npm *"], "cd frontend && npm test"),
        (["python *"], "cd backend && python manage.py migrate"),
        (["python -m pytest *"], "cd backend && python -m pytest tests/a -q"),
        (["uv run pytest *"], "cd backend && uv run pytest tests -q"),
        (["bash *"], "cd scripts && bash build.sh"),
        (["make *"], "cd build && make -j4 all"),
        (["cat *"], "cd src && cat a.py"),
        (["pytest *", "ls *"], "(cd a && pytest tests/x.py) && ls ./b"),
        (["node -e *"], "cd web && node -e 'console.log(1)'"),
        (["/usr/bin/python3 *"], "cd x && /usr/bin/python3 a.py"),
        (["deno run *"], "cd x && deno run main.ts"),
    ],
)
def test_after_cd_wide_rules_cover_what_they_covered(allow: list[str], command: str) -> None:
    policy = Policy.of(allow=["Bash(cd *)", *(f"Bash({rule})" for rule in allow)])
    assert _family(policy, command) == "allow"


def test_why_it_asks_is_said() -> None:
    policy = Policy.of(allow=["Bash(cd *)", "Bash(./run.sh *)"])
    verdict = policy.evaluate("Bash", {"command": "cd sub && ./run.sh"})
    assert (verdict.code, verdict.part) == ("moved", "./run.sh")
