"""Arguments that only bash knows: whatever they may become is judged, and no more is asked."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.rules.policy import Policy
from agents.domain.shell.programs import table

GUARDED = {
    name: line
    for name, line in table().items()
    if line.kind == "options" and not line.reader and (line.asks or line.asks_from)
}
NO_OPERANDS = {"git", "tar", "gtar", "bsdtar", "tput"} | {
    name for name, line in GUARDED.items() if line.asks_from
}
HIDDEN = ("$z", '"$z"', "{zz,z}", "?*", "$@", '"$@"', '"${z[@]}"', "pre$z", "${z}")


def verdict(command: str, *rules: str) -> str:
    allowed = rules or (f"Bash({shlex.split(command)[0]} *)",)
    return Policy.of(allow=["Bash(true *)", *allowed]).evaluate("Bash", {"command": command}).family


def _options(name: str) -> list[str]:
    """What asks for the program; for a verb of git, what its own line adds to git's."""
    line = GUARDED[name]
    shared = GUARDED["git"].asks if name.startswith("git ") else frozenset()
    return sorted(each for each in line.asks - shared if "*" not in each and each[0] == "-")


@pytest.mark.parametrize("name", sorted(GUARDED))
def test_an_option_that_asks_still_asks_with_any_part_of_it_hidden(name: str) -> None:
    for option in _options(name):
        assert verdict(f"{name} {option} x", f"Bash({name} *)") == "ask", option
        for cut in range(len(option)):
            for hidden in ("$z", '"$z"') if cut else ("$z", '"$z"', "{zz,z}", "?*"):
                command = f"{name} {option[:cut]}{hidden} x"
                assert verdict(command, f"Bash({name} *)") == "ask", command


@pytest.mark.parametrize("name", sorted(GUARDED))
def test_an_unquoted_expansion_is_any_number_of_words(name: str) -> None:
    for command in (f"{name} in$z", f"{name} a in$z.txt", f"{name} ./$z", f"{name} x$@"):
        assert verdict(command, f"Bash({name} *)") == "ask", command


@pytest.mark.parametrize("name", sorted(set(GUARDED) - NO_OPERANDS))
def test_one_quoted_operand_that_begins_as_no_option_does_is_one(name: str) -> None:
    for command in (f'{name} "in$z"', f'{name} "./$z"', f"{name} ./*"):
        assert verdict(command, f"Bash({name} *)") == "allow", command


@pytest.mark.parametrize(
    "command",
    [
        "true '{system(\"id\")}'; awk \"BEGIN$_\" f",
        "for p in '{print \"x\" > \"OUT\"}'; do awk \"BEGIN$p\"; done", 'awk -F, "{print $x}" f',
        'awk "$x"', "awk -v x=1 $p f", 'awk "-$x" 1', "awk {a,b}", 'sed "s/$a/$b/" f',
        'sed -n "${n}p" f', 'sed -e p -e "$x" f', 'sed "-$x" f', "sed p $f", "sed p *",
        "sed -{n,i} p f", 'sed -n -e"$x" f', "sed {p,e} f",
        "for s in 'v a[$(id)]'; do printf -$s x; done", 'printf "$f" x', "printf $f x",
        'printf "-$f" x', "printf {a,-v} x", "printf *", 'test "$a" "$b"', 'test "$a" x[0]',
        "test -$z", "[ -$z ]", "[ $x ]", '[ -v "$x" ]', '[ "-$a" "$b" ]', '[ "$a" "x$b" ]',
        "[ * ]", "[ -{n,v} x ]", "[ in$z ]", '[ "$@" ]', "find . -{print,exec} sh -c x \\;",
        "find . -$t", 'find "$x"', 'find . -"$x"', "find *", "find in.t$t x", "find . -?ok* x",
        "find . -[d]elete", 'find . "-exe$x" y', "sort in$_", 'sort "$x"', "sort *", "sort -*",
        "sort --o*", "sort a.{txt,-o} {-o,x}", 'sort -k1 "$x"', 'sort -r"$x"', 'sort --out"$x"',
        'sort -"$x"', 'sort -S -- "$x"', "uniq a.txt{,.OUT}", "uniq in$_", 'uniq -- a "$x"',
        "uniq a*", "uniq -- a*", "uniq -- $x", "xxd a*", 'xxd a "b$x"', "xxd -- $x",
        "git show --out$z", 'git show --out"$z"', "git rem$z", "git $v", 'git "$v" x',
        "git {log,x}", "git fetch --{quiet,upload-pack=x} . HEAD", 'git fetch "ext$x"',
        'git fetch -- "$url"', 'git log "$x"', "git log in$x", "git diff *",
        'git log --since -- "$x"', "git log -$x", "tar $x", "tar xf a $x", "tar -cf a *",
        "tar c{f,I} x", 'tar "$x" a', "tar cf a.tar in$x", "gcc $x", "gcc x.c @*", 'gcc "@$x"',
        'gcc -f"$x"', "gcc -B{a,b}", 'gcc "-specs=$x"', "curl $u", 'curl "$u"', 'curl -w "$x" u',
        'curl -s"$x" u', "curl http://h/{a,b} -{s,O}", "wget $u", "rg --p$_ x", 'rg "$x"',
        "split --fi$_ a", "shuf -?GLOB*", "shuf --o$z a",
    ],
)  # fmt: skip
def test_what_may_become_an_option_or_a_script_asks(command: str) -> None:
    programs = {word.partition(" ")[0] for word in command.replace("do ", "; ").split("; ")}
    rules = [f"Bash({name} *)" for name in programs]
    assert verdict(command, *rules) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        'printf "%s\\n" "$x"', 'printf "%s\\n" $x', "printf '%s' *", 'printf -- "$f" $x',
        '[ -n "$x" ]', '[ "$a" = "$b" ]', '[ "$a" ]', '[ -f "$x" -a -d "$y" ]', "[ -e *.txt ]",
        'test "$n" -gt 3', '[ ! -e "$f" ]', '[ "x$a" = "x$b" ]', 'sort -- "$f"', "sort -- $f",
        'sort -u -- "$f"', 'sort "in$x"', "sort ./*", 'sort -k "$n"', 'sort -k"$n" f',
        'sort --key="$n" f', "sort src/{a,b}.txt", 'sed p "./$f"', 'sed -n 5p -- "$f"',
        "sed -e p ./*", "sed -n p src/*.py", "awk '{print $1}' $f", "awk '{print $1}' *.txt",
        'awk -F "$s" 1 f', 'awk -v x="$y" 1 f', 'find . -name "*.$e"', "find . -name *.py",
        'find "./$d" -type f', "find src/*/x -print", 'find . -newer"$x" y',
        'find . -name {a,b}.txt', 'git log --author="$u"', 'git log --oneline -- "$f"',
        'git diff HEAD -- $f', 'git commit -m "fix $x"', 'git commit -m "$m"',
        'git checkout -b "feature/$x"', 'git show "HEAD:$f"', "git add ./*",
        'git log --since="$d"', 'git commit -m "me@$h $x"', 'rg -e "$x"', 'rg -- "$x" src',
        'rg "fo$x" src', 'tar -xf "a$x"', "tar czf a.tgz src/*", 'tar -C "$d" -xf a',
        'uniq -- "$x"', 'uniq "in$x"', 'uniq -c -- "$f"', 'xxd -l 9 "in$x"',
        'curl "https://h/$x"', 'curl -H "A: $t" https://h', 'curl -d "$x" https://h',
        'gcc "src/$x"', 'gcc -I"$d" -o "$o" x.c', 'gcc -o app src/*.c', 'split -l 5 "in$x"',
        'diff3 a b "c$x"', "cp $a $b", "mv *.txt d", "grep -r $x .", "ls *", 'echo $x', "cat $@",
        "wc -l {a,b}", "npm run $x", "pytest $x", "docker run $x", "python3 *.py",
    ],
)  # fmt: skip
def test_what_can_be_no_option_is_not_asked_about(command: str) -> None:
    assert verdict(command) == "allow"


@st.composite
def _hidden(draw: st.DrawFn) -> tuple[str, str, str]:
    """A program, a command of it that asks, and one that may become that command."""
    name = draw(st.sampled_from(sorted(GUARDED)))
    options = _options(name) or ["a", "b"]
    danger = draw(st.sampled_from(options))
    joined = danger + "=x" if danger.startswith("--") and draw(st.booleans()) else f"{danger} x"
    before = draw(st.sampled_from(["", "a.txt ", "./b "]))
    plain = f"{before}{joined}" + draw(st.sampled_from(["", " c.txt", " d e"]))
    start = draw(st.integers(0, len(before) + len(danger) - 1))
    end = draw(st.integers(start + 1, len(plain)))
    return name, f"{name} {plain}", f"{name} {plain[:start]}$z{plain[end:]}"


@given(_hidden())
def test_a_command_that_may_become_one_that_asks_asks(found: tuple[str, str, str]) -> None:
    name, plain, hidden = found
    if verdict(plain, f"Bash({name} *)") == "ask":
        assert verdict(hidden, f"Bash({name} *)") == "ask", hidden


@given(st.sampled_from(sorted(GUARDED)), st.sampled_from(HIDDEN), st.sampled_from(["", "-"]))
def test_what_begins_as_an_option_asks(name: str, hidden: str, start: str) -> None:
    if GUARDED[name].style == "words" and not _options(name):
        return
    assert verdict(f"{name} {start}{hidden} x", f"Bash({name} *)") == "ask"
