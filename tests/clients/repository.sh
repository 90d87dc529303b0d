#!/bin/sh
# Makes a small repository on which every tool has something to answer. usage: repository.sh FOLDER
set -eu
mkdir -p "$1/app" "$1/docs" "$1/.contextd/graph"
cd "$1"
git init -q
commit() { git -c user.name=a -c user.email=a@example.org -c commit.gpgsign=false commit -qam "$1"; }
printf 'def main():\n    """Begins the program."""\n    return expire(60)\n\n\ndef expire(seconds):\n    """Lets session cookies expire."""\n    return seconds\n' > app/session.py
printf '# Sessions\n\n<!-- contextd:covers=app/session.py::expire -->\nSession cookies expire after a minute, see `expire`.\n' > docs/sessions.md
printf '# App\n\nKeeps sessions.\n' > README.md
printf 'nodes:\n- {ref_id: sessions, kind: domain, summary: Session cookies and when they expire, source: app/}\n' > .contextd/graph/app.yml
git add -A
commit "Let sessions expire"
sed -i.old 's/60/90/' app/session.py && rm app/session.py.old
commit "Sessions last longer"
