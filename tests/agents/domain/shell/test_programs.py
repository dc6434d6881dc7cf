"""The table of programs: every line is well formed and has a source."""

from __future__ import annotations

from typing import get_args

import pytest

from agents.domain.rules.policy import Policy
from agents.domain.shell.bash import read_script
from agents.domain.shell.programs import Kind, Operands, Style, known, table
from agents.domain.shell.wrappers import inner_of


def test_every_line_says_what_is_known_and_where_from() -> None:
    assert len(table()) > 1_000
    for name, line in table().items():
        assert line.source.strip(), name
        assert line.kind in get_args(Kind), name
        assert line.style in get_args(Style), name
        assert line.operands in get_args(Operands), name
        assert line.reader in ("", "always", "awk", "printf", "sed", "test", "tmux"), name


def test_what_only_reads_names_no_option_that_does_more() -> None:
    for name, line in table().items():
        if line.kind == "reads":
            assert not line.is_guarded, name
            assert not line.outputs | line.folders, name
            assert line.operands == "none", name


def test_what_starts_its_arguments_is_a_wrapper_and_has_no_line() -> None:
    for name, line in table().items():
        words = read_script(f"{name} x y").commands[0].words
        assert line.kind != "anything" or inner_of(words) is None, name


def test_an_option_has_one_meaning() -> None:
    for name, line in table().items():
        assert not line.asks & line.flags, name
        assert not (line.runs - line.plain) & line.takes, name
        assert not line.takes & line.flags, name


@pytest.mark.parametrize(
    ("words", "asks"),
    [(["git", "bundle", "verify"], False), (["git", "bundle", "create"], True),
     (["git", "status"], False), (["sort"], True), (["cat"], False)],
)  # fmt: skip
def test_the_longest_line_that_fits_is_found(words: list[str], asks: bool) -> None:
    line = known(words)
    assert line is not None
    assert bool(line.reader or "-o" in line.asks) is asks


def test_a_program_without_a_line_is_unknown() -> None:
    assert known(["no-such-program"]) is None
    assert known([]) is None


def test_a_verb_has_what_git_has() -> None:
    base, verb = known(["git"]), known(["git", "show"])
    assert base is not None
    assert verb is not None
    assert "--output" in verb.asks & base.asks


@pytest.mark.parametrize(
    "command",
    [
        "diff3 --diff-prog=evil a b c", "sdiff -s --diff-program evil a b", "sdiff -o OUT a b",
        "xxd -p a OUT", "xxd -r a OUT", "uniq a OUT", "uniq -c -- a OUT", "cpp x.c OUT",
        "ptx -G a OUT", "curl -s u --output OUT", "curl -sOJ u", "curl -so OUT u", "curl -oOUT u",
        "curl -K c", "curl -sK- u", "curl --conf c", "curl -D OUT u", "curl -c OUT u",
        "curl --trace OUT u", "curl --libcurl OUT u", "curl --stderr OUT u",
        "curl -w %output{OUT} u", "curl -w @f u", "curl --etag-save OUT u", "curl --hsts OUT u",
        "curl --alt-svc OUT u", "curl --remote-name-all u", "curl --dump OUT u",
        "wget -q --output-file=OUT u", "wget -O OUT u", "wget -OOUT u", "wget -qo OUT u",
        "wget -a OUT u", "wget -P d u", "wget -e a=b u", "wget --config=c u",
        "wget --use-askpass=evil u", "wget --save-cookies OUT u", "wget --warc-file OUT u",
        "wget --rejected-log=OUT u", "msgfilter --input=x.po evil -z", "msgexec -i x.po evil",
        "choom -n 10 evil c", "msgcat -o OUT x.po", "msgmerge -U a.po b.pot", "msginit -o OUT",
        "msgattrib --output-f OUT x.po", "git bundle create OUT --all",
        "git fast-export --export-marks OUT --all", "git fast-export --export-m=OUT --all",
        "git fast-import", "git format-patch -o d HEAD~1", "git mailinfo msg patch",
        "git mailsplit -od mail", "git archive -o OUT HEAD", "git hook run x",
        "git for-each-repo --config=a x", "git read-tree --index-output=OUT HEAD",
        "git grep -O x", "git checkout-index --prefix=OUT a",
        "git interpret-trailers --in-place f", "git pack-objects OUT", "git index-pack -o OUT x",
        "git rebase -x evil HEAD~1", "git rebase --ex evil HEAD", "git diff --outp=x",
        "git clone -c a=b u", "git clone -uevil u", "git clone --templ=d u",
        "git fetch --upload-p evil .", "git push --exec=evil o",
        "git ls-remote --upload-pack=evil .", "git merge-file a b c", "git svn x",
        "git difftool -x evil", "git config a.b c", "git credential-store --file OUT store",
        "git apply --build-fake-ancestor=OUT p", "git init --separate-git-dir=OUT",
        "git fetch ext::sh", "git bugreport -o d", "git maintenance start", "git cvsserver",
        "git instaweb -d evil", "gcc @f", "gcc -wrapper evil x.c", "gcc -B. x.c",
        "gcc -fplugin=x.so x.c", "gcc -specs=f x.c", "gcc -Wl,-plugin,x.so x.c",
        "gcc -Xlinker @f x.c", "clang -fpass-plugin=x x.c", "g++ -B d x.cc", "ld @f",
        "ld -plugin x.so a.o", "nm --plugin x.so a", "ar --plugin x.so t a", "strip @f", "as @f",
        "objcopy --dump-section .t=OUT a", "objdump @f", "ranlib @f", "file -C -m magic",
        "man -P evil x", "man -C man.conf x", "man -Hevil x", "man -pt x", "less +!evil f",
        "less -OOUT f", "less -k f", "rg --pre evil x", "rg --hostname-bin=evil x", "fd -x evil",
        "fd -Xevil", "ag --pager evil x", "find . -fprint OUT", "find . -fls OUT",
        "find . -delete", "sort --compress-prog evil f", "sort -uoOUT f", "shuf --ou OUT f",
        "split --filter=evil f", "csplit -f OUT f 1", "tar -I evil -cf a b", "tar cIf evil a b",
        "tar -T list -cf a", "tar xf a --to-c=x", "cpio -oO OUT", "zip -T -TTevil a b",
        "zip -lf OUT a b", "zip -O OUT a b", "rsync -e evil a b:", "rsync --rsync-p=evil a b",
        "rsync --log-file=OUT a b", "scp -S evil a b:", "scp -oProxyCommand=evil a b:",
        "sftp -b f h", "ssh-keygen -D x.so", "ssh-keygen -w x.so", "ssh-add -s x.so",
        "tcpdump -w OUT", "tcpdump -z evil", "iconv -o OUT f", "iconv --outp OUT f", "yq -i .a f",
        "xmllint --output OUT f", "xsltproc -o OUT a b", "tree -o OUT", "ctags -f OUT x.c",
        "ctags --options=f x.c", "flex -o OUT x.l", "flex -Sevil x.l",
        "pkg-config --log-file=OUT x", "protoc --plugin=evil x", "tput init", "tput reset",
        "pmap -N OUT 1", "ss -D OUT", "lsof -DbOUT", "date -s now", "hostname x",
        "apt-cache -o a=b show x", "gprof @f", "tidy -m f", "sed -i s/a/b/ f",
        "sed 's/a/b/w OUT' f", "sed 1e f", "sed -n --in-pl p f", "awk 'BEGIN{system(\"x\")}'",
        "awk -f p f", "gawk -i x 1 f", "gawk -lx 1", "printf -v x y", "test -v a[0]",
        "fzf --preview evil", "bat --pager evil f", "nmap --script=evil h", "nmap -oN OUT h",
        "lynx -cfg=f u", "aria2c -o OUT u", "aria2c --on-download-complete=evil u",
        "yt-dlp --exec evil u", "http -o OUT u", "vim -es", "vim -c '!evil'", "vim +!evil f",
        "vim --cmd x", "gdb -ex '!evil'", "gdb -batch -x f", "gdb --args evil", "tmux new evil",
        "tmux list-keys ';' run-shell evil", "screen -dm evil", "expect -c x", "make --eval=x",
        "emacs --batch --eval x", "nano -s evil f", "install --strip-program=evil -s a b",
        "cloc --config f", "zstdcat -o OUT f", "w3m -config f u", "elinks -eval x",
        "enscript -o OUT f", "info -o OUT x", "git send-email --smtp-server=/x p",
    ],
)  # fmt: skip
def test_what_writes_or_runs_through_its_arguments_asks(command: str) -> None:
    assert _verdict(command) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "curl -s https://h/a", "curl -so /dev/null -w '%{http_code}' u", "curl -o - u",
        "curl -b a=b u", "curl --cookie a=b u", "curl --data-binary @f u", "wget u",
        "wget -qO- u", "wget -c u", "wget -nv u", "gcc -o app x.c -lm", "gcc -Wl,--as-needed x.c",
        "gcc -w x.c", "gcc -MMD -MF x.d x.c", "ld -o a b.o", "xxd a", "xxd -l 16 -s 4 a",
        "xxd -c8 a", "uniq a", "uniq -f 1 a", "sort -t o f", "sort --reverse f",
        "sort -k2,2 -to f", "date -Iseconds", "date -d yesterday +%F", "tar cf a.tar d",
        "tar -xf a -C d", "rg --pretty x", "rg --pre-glob x y", "fd -e py", "man ls", "man -k x",
        "less f", "file -b f", "split -b 1k f", "git bundle verify f", "git config --get a.b",
        "git config --list", "git submodule status", "git rev-parse --git-dir", "git log --text",
        "git diff --cc", "git branch -c a b", "git commit -C HEAD", "git clone -o up u",
        "git show -c HEAD", "git tag -l", "git grep -e x", "git apply p", "git am p",
        "msgfmt -o a.mo a.po", "xgettext -o a.pot x.c", "zip -r a.zip d", "unzip a.zip -d d",
        "gzip -c f", "ssh-keygen -lf k.pub", "scp a h:b", "rsync -av a b", "diff3 -m a b c",
        "sdiff -w 80 a b", "tput cols", "objdump -d a", "nm -C a", "strip a", "ar t a.a",
        "iconv -f latin1 f", "tree -L 2", "jq . f", "ss -tln", "pmap 1", "lsof -i", "hostname",
        "ctags --version", "cpp x.c", "sed -n p f", "awk '{print $1}' f", "cp a b", "tee f",
        "dd if=a of=b", "docker ps", "csplit f 1", "less -N f", "install -m 644 a b",
    ],
)  # fmt: skip
def test_what_the_arguments_do_as_they_are_meant_to_is_allowed(command: str) -> None:
    assert _verdict(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "sqlite3 a.db '.system evil'", "sqlite3 a.db .tables", "ed -s f", "python3 -c 'print(1)'",
        "make test", "npm run $x", "pytest $x", "node -e 'x'", "psql -c '\\! evil'", "m4 f",
        "openssl enc -out OUT", "nc -e evil h 1", "convert a b", "ffmpeg -i a b", "docker run $x",
        "no-such-program --run $x", "./own.sh *", "dc -e '!evil'", "perl -e 1", "crontab f",
        "gpg -o OUT f",
    ],
)  # fmt: skip
def test_a_program_that_can_do_anything_is_allowed_as_the_rule_says(command: str) -> None:
    assert _verdict(command) == "allow"


def _verdict(command: str) -> str:
    policy = Policy.of(allow=[f"Bash({command.split()[0]} *)"])
    return policy.evaluate("Bash", {"command": command}).family


AWK = Policy.of(allow=["Bash(awk *)"])


@pytest.mark.parametrize(
    "script",
    ["NR>5", "$3 > 100", "/a|b/", "length > 80 {print $1}", '$1=="a" || $2>1', "NR>1 {s+=$3}",
     '{print $1 " -> " $2}', '{printf "%s | %s\\n", $1, $2}', '{print $1} NR>5',
     '{print "say \\"x\\" > y"}'],
)  # fmt: skip
def test_a_comparison_of_awk_is_no_redirection(script: str) -> None:
    assert AWK.evaluate("Bash", {"command": f"awk '{script}' a.txt"}).family == "allow"


@pytest.mark.parametrize(
    "script",
    ['NR>1 {print > "x"}', '{printf "x" | "sh"}', '"id" | getline', 'NR>1 {system("id")}',
     '{ print $1\n}\nNR>1 {print >"x"}', '{x="sh"; print | x}', '@include "x"; NR>1',
     '{print "a" > "o"}', '{print "x",\n"y" > "o"}', '{print /"/ > "o" "/"}',
     '{print /"/; system("id") #"}', '{print "a" # "\n > "o" }', '{print "open > "o"}',
     '{x = "a\\\\" ; print 1 > "o"}', '{print a, "}" > "o"}', '{print a[";"] > "o"}'],
)  # fmt: skip
def test_what_awk_writes_or_runs_asks(script: str) -> None:
    assert AWK.evaluate("Bash", {"command": f"awk '{script}' a.txt"}).family == "ask"
