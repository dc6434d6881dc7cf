"""Commands under generous rules: those that write what runs by itself, and those that do not."""

from __future__ import annotations

PROGRAMS = """
cat cd chmod cp dd echo for git install ln mkdir mv patch rm rsync sed tar tee touch truncate unzip
"""
GENEROUS = [*(f"Bash({name} *)" for name in PROGRAMS.split()), "Bash", "Redirect", "Redirect(**)"]

ASKED = r"""
cp evil .git/config
mv evil .git/config
mv x/.git .
cp x/.envrc .
cp -t .git/hooks evil
cp --target-directory=.husky evil
cp -r a b/.git/
cp evil .maia/tools/t/TOOL.json
cp evil .vscode/tasks.json
cp evil docs/x.git/config
cp evil .pre-commit-config.yaml
cp -l .git/config c
cp -s .git/config c
echo x | tee .git/config
echo x > .git/config
echo x > sub/.git/config
echo x > .GIT/config
echo x > .git./config
echo x > ./././.git/../.git/config
echo x > /workspace/.git
echo x > ~/.bashrc
echo x > "$HOME/.bashrc"
echo x > "$HOME"/.foo
echo x > ${HOME}/.foo
echo x >> ~/.config/whatever/x
ln -s .git g
ln -s ../evil .envrc
ln .git/config c
install -m 755 evil .git/hooks/pre-commit
dd if=evil of=.git/config
rsync -a evil/ .husky/
tar xf a.tar -C .git
tar xf a.tar --one-top-level=.git
git worktree add .husky
git worktree add --detach -b x .githooks HEAD
cp evil .hg/hgrc
echo x > .jj/repo/config.toml
echo x > .shadowenv.d/x
cp evil .gemini/settings.json
cp evil .codex/config.toml
tar xf a.tar .envrc
tar -xf a.tar .git/config
unzip a.zip .git/config
unzip a.zip -d .vscode
chmod +x .git/hooks/pre-commit
touch .envrc
touch -- -t.husky
echo > --target-directory=.git
truncate -s 0 .gitmodules
git mv evil .husky/pre-commit
sed -i s/a/b/ .git/config
cd .git && cp ../evil config
cd .git && echo x > config
cd sub && cp evil .envrc
cd ~ && cp evil .profile
cd && echo x > .unknownrc
for f in .git/config; do cp evil "$f"; done
for f in .git; do cp evil $f/config; done
for a in .gi; do for b in t; do cp evil "$a$b/config"; done; done
for d in .git/hooks; do cd $d; cp /workspace/evil pre-commit; done
for f in .gitX; do cp evil ${f%X}/config; done
for f in -t.husky; do cp evil "$f"; done
echo .git/config; cp evil $_
echo .git/config; echo x > $_
cp evil .g*/config
cp evil .g[i]t/config
cp evil .g?t/config
cp evil {.git,x}/config
cp evil .gi{t,u}/config
cp evil .{g..g}it/config
cp evil hooks/pre-com*
cp evil *ooks
cp evil $'.git/config'
cp evil .g''it/config
cp evil ".git/config"
cp evil \.git/config
""".strip().splitlines()

PATCHED = """git apply <<'E'
--- a/x
+++ b/.husky/pre-commit
@@ -0,0 +1 @@
+evil
E"""

FREE = r"""
cp a b
cp -r src dst
cp "$SRC" out/
cp a "$OUT/x.txt"
cp a "$OUT"
cp * out/
cp *.py lib/
mv *.txt archive/
mkdir -p src/{a,b,c}
mkdir -p .vscode
rm -f .git/index.lock
rm -rf .git/hooks
cat .git/config
cat .gitmodules | tee out.txt
git add .husky/pre-commit
git diff .gitmodules
git log -- .envrc
git status
git add .
git commit -m 'the .git folder'
git checkout -- .gitignore
git apply x.patch
tar xf a.tar
tar czf a.tgz .git
tar czf a.tgz src .vscode
unzip a.zip
unzip a.zip -d out
cp .git/config /tmp/x
cp .gitignore sub/
cp -r .github sub/
echo x > .gitignore
echo x > .gitattributes
echo x > .editorconfig
echo x > .github/workflows/ci.yml
echo x > Makefile
echo x > package.json
echo x > .npmrc
echo x > .env
echo x > conftest.py
echo x > "$OUT"
echo x > out-$USER.log
echo x > out-$USER
cp a $DIR/x$NAME
echo .git
for f in a b; do cp "$f" out/; done
for f in a.txt b.txt; do cp "$f" "out/$f"; done
cd sub && cp a b
cd sub && echo x > y
sed s/a/b/ .git/config
ln -s a b
rsync -a src/ dst/
echo x > ~/notes.txt
echo x > ~/.cache/x
cp x hooks/useFetch.ts
chmod +x run.sh
patch -p1 -i x.patch
mv .gitignore.new .gitignore
touch .gitkeep
""".strip().splitlines()
