"""Scenes: the next move of the demo model, from what was asked and what the tools answered."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from agents.providers.demo.pieces import (
    ToolCall,
    block,
    change,
    content,
    default_file,
    lines,
    progress,
    prose,
    todos,
)
from agents.providers.demo.requests import (
    Wish,
    command_in,
    file_in,
    searched,
    wants_run,
    wish_of,
)
from agents.providers.demo.situation import Call, Situation


@dataclass(frozen=True, slots=True)
class Move:
    """One answer of the model: what it thinks, says and calls."""

    text: str = ""
    thought: str = ""
    calls: tuple[ToolCall, ...] = ()


def next_move(now: Situation) -> Move:
    """Returns what to do now; a refused or failed call ends the scene with an explanation."""
    failed = next((call for call in now.calls if call.failed and call.name != "Bash"), None)
    if failed or (now.calls and now.calls[-1].failed and not _ran(now.calls[-1])):
        return _stopped(now, failed or now.calls[-1])
    move = _SCENES[wish_of(now.asked)](now)
    missing = [name for name, _ in move.calls if name not in now.tools]
    if missing and missing != ["TodoWrite"] * len(missing):
        return _without_tool(now, missing[0])
    return move


def _write(now: Situation) -> Move:
    path = file_in(now.asked) or default_file(now.asked)
    run = wants_run(now.asked) and path.endswith(".py")
    steps = [
        now.say(f"Write {path}", f"Écrire {path}"),
        now.say("Run it", "Le lancer"),
    ]
    written, ran = now.done("Write"), now.done("Bash")
    if run and not now.done("TodoWrite") and "TodoWrite" in now.tools:
        thought = now.say(
            f"A small program, then. One file is enough: {path}. First I write it, then I run it "
            "to see that it works. Both will ask for permission.",
            f"Un petit programme, donc. Un fichier suffit : {path}. D’abord je l’écris, puis je le "
            "lance pour voir s’il marche. Les deux demanderont la permission.",
        )
        text = now.say("Two steps, then. Here is my plan.", "Deux étapes. Voici mon plan.")
        return Move(text, thought, (todos(now, steps, 0),))
    if not written:
        text = now.say(f"I write `{path}`.", f"J’écris `{path}`.")
        return Move(text, calls=(("Write", {"path": path, "content": content(now, path)}),))
    if run and not ran:
        text = now.say("Now let us see whether it works.", "Voyons maintenant si cela marche.")
        command = f"python3 {shlex.quote(path)}"
        return Move(text, calls=(*progress(now, steps, 1), ("Bash", {"command": command})))
    if run and len(now.done("TodoWrite")) == 2:
        return Move(calls=(todos(now, steps, 2),))
    return Move(_written(now, path, ran))


def _written(now: Situation, path: str, ran: list[Call]) -> str:
    text = now.say(f"Done: `{path}` is there.", f"C’est fait : `{path}` est là.")
    if ran:
        text += " " + now.say("It says:", "Il dit :") + block(ran[-1].output)
    return text + now.say(
        '\n\nTry next: *replace "Hello" with "Good morning" in hello.py*, or open the file in the '
        "files panel.\n",
        "\n\nEssayez ensuite : *remplace « Hello » par « Bonjour » dans hello.py*, ou ouvrez le "
        "fichier dans le panneau des fichiers.\n",
    )


def _edit(now: Situation) -> Move:
    path = file_in(now.asked) or now.last_file or "hello.py"
    read = now.done("Read")
    if not read:
        text = now.say(f"I read `{path}` first.", f"Je lis d’abord `{path}`.")
        thought = now.say(
            "To change a file I must know exactly what it holds.",
            "Pour modifier un fichier, je dois savoir exactement ce qu’il contient.",
        )
        return Move(text, thought, (("Read", {"path": path}),))
    if not now.done("Edit"):
        found = change(now, path, read[-1].output)
        if found is None:
            return Move(_nothing_to_change(now, path))
        text = now.say("Here is the change.", "Voici la modification.")
        old, new = found
        given = {"path": path, "old_string": old, "new_string": new}
        return Move(text, calls=(("Edit", given),))
    return Move(
        now.say(
            f"`{path}` is changed. The card above shows the difference.\n",
            f"`{path}` est modifié. La carte ci-dessus montre la différence.\n",
        )
    )


def _list(now: Situation) -> Move:
    found = now.done("Glob")
    if not found:
        text = now.say("I look around.", "Je regarde.")
        return Move(text, calls=(("Glob", {"pattern": "**/*"}),))
    text = now.say("This is what I found:", "Voici ce que j’ai trouvé :")
    return Move(text + block(found[-1].output))


def _search(now: Situation) -> Move:
    wanted = searched(now.asked)
    found = now.done("Grep")
    if not found:
        text = now.say(f"I search for `{wanted}`.", f"Je cherche `{wanted}`.")
        given = {"pattern": re.escape(wanted), "output_mode": "content", "-n": True}
        return Move(text, calls=(("Grep", given),))
    text = now.say(f"Where `{wanted}` stands:", f"Où se trouve `{wanted}` :")
    return Move(text + block(found[-1].output))


def _read(now: Situation) -> Move:
    path = file_in(now.asked) or now.last_file or "README.md"
    read = now.done("Read")
    if not read:
        return Move(
            now.say(f"I open `{path}`.", f"J’ouvre `{path}`."), calls=(("Read", {"path": path}),)
        )
    shown = lines(read[-1].output)
    return Move(
        now.say(
            f"`{path}` has {len(shown)} lines. It begins so:",
            f"`{path}` a {len(shown)} lignes. Il commence ainsi :",
        )
        + block("\n".join(shown))
    )


def _run(now: Situation) -> Move:
    command = command_in(now.asked, now.last_file)
    ran = now.done("Bash")
    if not ran:
        thought = now.say(
            "A command. It runs in the sandbox, and only if the person allows it.",
            "Une commande. Elle tourne dans le bac à sable, et seulement si la personne "
            "l’autorise.",
        )
        text = now.say(f"I run `{command}`.", f"Je lance `{command}`.")
        return Move(text, thought, (("Bash", {"command": command}),))
    return Move(now.say("Its output:", "Sa sortie :") + block(ran[-1].output))


def _plan(now: Situation) -> Move:
    steps = [
        now.say("Understand what is wanted", "Comprendre ce qui est voulu"),
        now.say("Do the first half", "Faire la première moitié"),
        now.say("Do the rest", "Faire le reste"),
        now.say("Look at the whole once more", "Relire le tout"),
    ]
    done = len(now.done("TodoWrite"))
    if "TodoWrite" not in now.tools:
        return Move("\n".join(f"- [ ] {step}" for step in steps))
    if done < 3:
        says = (
            now.say("I make a plan.", "Je fais un plan."),
            now.say("On we go.", "On avance."),
            now.say("And further.", "Et encore."),
        )
        return Move(says[done], calls=(todos(now, steps, done),))
    return Move(
        now.say(
            "The list follows the work: done, in progress, still to do. A real model would now do "
            "the steps; I only show how it looks.\n",
            "La liste suit le travail : fait, en cours, à faire. Un vrai modèle ferait maintenant "
            "les étapes ; je montre seulement à quoi cela ressemble.\n",
        )
    )


def _showcase(now: Situation) -> Move:
    return Move(prose(now, "showcase"))


def _think(now: Situation) -> Move:
    return Move(prose(now, "why-blue"), prose(now, "thinking"))


def _help(now: Situation) -> Move:
    return Move(prose(now, "help"))


_SCENES: dict[Wish, Callable[[Situation], Move]] = {
    "write": _write,
    "edit": _edit,
    "list": _list,
    "search": _search,
    "read": _read,
    "run": _run,
    "plan": _plan,
    "showcase": _showcase,
    "think": _think,
    "help": _help,
}


# --- what went otherwise -----------------------------------------------------------------------


def _ran(call: Call) -> bool:
    """Whether a failed command did run: its output ends with a note of how it ended."""
    return call.name == "Bash" and bool(re.search(r"\[[^\]\n]+\]\s*\Z", call.output))


def _stopped(now: Situation, call: Call) -> Move:
    text = now.say(
        f"**{call.name}** did not work, so I stop here. I was told:",
        f"**{call.name}** n’a pas abouti, je m’arrête donc là. On m’a répondu :",
    )
    rest = now.say(
        "\n\nYou can ask me again at any time.\n", "\n\nVous pouvez redemander à tout moment.\n"
    )
    return Move(text + block(call.output) + rest)


def _without_tool(now: Situation, name: str) -> Move:
    return Move(
        now.say(
            f"For this I need the tool **{name}**, which I was not given here.\n",
            f"Pour cela, il me faut l’outil **{name}**, que je n’ai pas ici.\n",
        )
    )


def _nothing_to_change(now: Situation, path: str) -> str:
    return now.say(
        f"I do not find that passage exactly once in `{path}`, so I change nothing.\n",
        f"Je ne trouve pas ce passage exactement une fois dans `{path}` : je ne change rien.\n",
    )
