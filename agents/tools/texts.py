"""What the tools say to the model (seeds M §8 and T), in English and French."""

from __future__ import annotations

from agents.domain.content.wording import Sentences, say
from agents.domain.tools.edits import EditError
from workspaces.domain.entries import FileError
from workspaces.domain.names import exactly

TOOLS: Sentences = {
    "file-not-found": (
        "{path} does not exist. Create it with Write.",
        "{path} n'existe pas. Crée-le avec Write.",
    ),
    "mm-file-not-found": (  # seed T gives these words
        "{path} does not exist. Create it with write_file",
        "{path} does not exist. Create it with write_file",
    ),
    "file-lookalike": (
        "{path} does not exist, but a file of nearly the same name does; its name has other "
        "spaces, accents or case. Give it exactly so, in JSON: {exactly}",
        "{path} n'existe pas, mais un fichier de presque le même nom existe ; son nom a d'autres "
        "espaces, accents ou majuscules. Donne-le exactement ainsi, en JSON : {exactly}",
    ),
    "file-twin": (
        "Nothing was written: {path} does not exist, but what looks the same does; its name has "
        "other spaces, another form of accents or invisible signs. Give it exactly so, in JSON: "
        "{exactly}. If a second one of the same look is really meant, make it empty with a command "
        "first (touch), then write it.",
        "Rien n'a été écrit : {path} n'existe pas, mais ce qui a le même aspect existe ; son nom a "
        "d'autres espaces, une autre forme d'accents ou des signes invisibles. Donne-le exactement "
        "ainsi, en JSON : {exactly}. Si tu en veux vraiment un second du même aspect, crée-le "
        "d'abord vide par une commande (touch), puis écris-le.",
    ),
    "file-nearest": (
        "{told} The nearest name there is: {exactly}",
        "{told} Le nom le plus proche qui existe : {exactly}",
    ),
    "folder-not-found": ("{path} does not exist.", "{path} n'existe pas."),
    "file-outside": (
        "{path} is outside the workspace and the home folder.",
        "{path} est hors de l'espace de travail et du dossier personnel.",
    ),
    "file-is-a-folder": ("{path} is a folder.", "{path} est un dossier."),
    "file-not-a-file": ("{path} is not a regular file.", "{path} n'est pas un fichier ordinaire."),
    "file-binary": (
        "{path} is not a text file in UTF-8, UTF-16 or Latin-1. If it is text in another encoding, "
        "convert a copy (iconv).",
        "{path} n'est pas un fichier texte en UTF-8, UTF-16 ou Latin-1. Si c'est du texte dans un "
        "autre encodage, convertis-en une copie (iconv).",
    ),
    "file-encoding": (
        "{path}: {message} Nothing was written. Use characters it has, or convert the file first "
        "(iconv).",
        "{path} : {message} Rien n'a été écrit. Utilise des caractères qu'il a, ou convertis "
        "d'abord le fichier (iconv).",
    ),
    "file-too-large": ("{path} is too large.", "{path} est trop volumineux."),
    "file-conflict": (
        "{path} was changed by somebody else meanwhile; nothing was written. Read it again.",
        "{path} a été modifié entre-temps par quelqu'un d'autre ; rien n'a été écrit. Relis-le.",
    ),
    "file-exists": (
        "{path} was created by somebody else meanwhile; nothing was written. Read it first.",
        "{path} a été créé entre-temps par quelqu'un d'autre ; rien n'a été écrit. Lis-le d'abord.",
    ),
    "file-no-space": (
        "There is no space left to write {path}.",
        "Il n'y a plus de place pour écrire {path}.",
    ),
    "file-denied": ("Access to {path} was denied.", "L'accès à {path} est refusé."),
    "file-protected": (
        "{path} holds rules or settings: only people change it, agents may not.",
        "{path} contient des règles ou des réglages : seules des personnes le modifient, pas les "
        "agents.",
    ),
    "file-secret": (
        "{path} holds settings that may contain keys: agents do not read it.",
        "{path} contient des réglages, peut-être des clés : les agents ne le lisent pas.",
    ),
    "file-rule": (
        "{path} leads to a file that the permission rules deny ({message}). Do not try it again as "
        "it is.",
        "{path} mène à un fichier que les règles de permissions interdisent ({message}). Ne "
        "réessaie pas tel quel.",
    ),
    "file-moved": (
        "{path} leads to another file than the one that was allowed; nothing was done. Name that "
        "file itself.",
        "{path} mène à un autre fichier que celui qui a été autorisé ; rien n'a été fait. Nomme "
        "ce fichier lui-même.",
    ),
    "file-hidden": (
        "The permission rules deny reading {path}, so it cannot be edited either.",
        "Les règles de permissions interdisent de lire {path} ; il ne peut donc pas être modifié "
        "non plus.",
    ),
    "file-kept": ("{path} stays.", "{path} reste."),
    "file-invalid-path": ("{path} is not a valid path.", "{path} n'est pas un chemin valide."),
    "file-invalid-pattern": (
        "The pattern is not valid: {message}",
        "Le motif n'est pas valide : {message}",
    ),
    "file-timeout": (
        "This took too long: {message} Narrow it down.",
        "Délai dépassé : {message} Restreins la recherche.",
    ),
    "file-other": ("{path}: {message}", "{path} : {message}"),
    "empty-file": ("({path} is empty)", "({path} est vide)"),
    "short-file": (
        "{path} has only {total} lines; line {offset} does not exist.",
        "{path} n'a que {total} lignes ; la ligne {offset} n'existe pas.",
    ),
    "more-lines": (
        "[lines {first} to {last} of {total}; go on with offset={next}]",
        "[lignes {first} à {last} sur {total} ; continue avec offset={next}]",
    ),
    "line-ends": (
        "[line ends: {ends}; write \\n in edits, the file keeps its own]",
        "[fins de ligne : {ends} ; écris \\n dans les éditions, le fichier garde les siennes]",
    ),
    "encoding": (
        "[encoding: {encoding}; edits keep it]",
        "[encodage : {encoding} ; les éditions le gardent]",
    ),
    "written": (
        "{path}: written; lines added: {added}, removed: {removed}, first changed line: {first}.",
        "{path} : écrit ; lignes ajoutées : {added}, supprimées : {removed}, "
        "première ligne modifiée : {first}.",
    ),
    "created": ("{path}: created; lines: {added}.", "{path} : créé ; lignes : {added}."),
    "replaced-other": (
        "{path}: written; lines: {count}, in place of content that is no readable text.",
        "{path} : écrit ; lignes : {count}, à la place d'un contenu qui n'est pas du texte "
        "lisible.",
    ),
    "identical": (
        "{path} already has exactly this content; nothing was written.",
        "{path} a déjà exactement ce contenu ; rien n'a été écrit.",
    ),
    "edited": (
        "{path}: edits applied: {edits}, lines added: {added}, removed: {removed}, "
        "first changed line: {first}.",
        "{path} : éditions appliquées : {edits}, lignes ajoutées : {added}, supprimées : "
        "{removed}, "
        "première ligne modifiée : {first}.",
    ),
    "dry-run": (
        "{path}: dry run, nothing was written; edits: {edits}, lines that would be added: "
        "{added}, removed: {removed}, first changed line: {first}.",
        "{path} : simulation, rien n'a été écrit ; éditions : {edits}, lignes qui seraient "
        "ajoutées : {added}, supprimées : {removed}, première ligne modifiée : {first}.",
    ),
    "edit-empty": (
        "Edit {number}: the text to find is empty. Nothing was written.",
        "Édition {number} : le texte à trouver est vide. Rien n'a été écrit.",
    ),
    "edit-same": (
        "Edit {number}: both texts are the same. Nothing was written.",
        "Édition {number} : les deux textes sont identiques. Rien n'a été écrit.",
    ),
    "edit-missing": (
        "Edit {number}: the text to find is not in {path}. Nothing was written. Read the file "
        "and copy the text exactly, without line numbers.",
        "Édition {number} : le texte à trouver est introuvable dans {path}. Rien n'a été écrit. "
        "Lis le fichier et copie le texte exactement, sans les numéros de ligne.",
    ),
    "edit-ambiguous": (
        "Edit {number}: the text to find stands {count} times in {path}. Nothing was written. "
        "Add lines around it until it is unique.",
        "Édition {number} : le texte à trouver figure {count} fois dans {path}. Rien n'a été "
        "écrit. Ajoute des lignes autour jusqu'à ce qu'il soit unique.",
    ),
    "edit-overlap": (
        "Edits {other} and {number} overlap in {path}. Nothing was written.",
        "Les éditions {other} et {number} se chevauchent dans {path}. Rien n'a été écrit.",
    ),
    "no-skill": (
        "There is no skill named {name}. Available: {names}.",
        "Il n'y a pas de skill nommé {name}. Disponibles : {names}.",
    ),
    "no-files": ("No file matches.", "Aucun fichier ne correspond."),
    "first-files": (
        "[the {count} newest; there are more: use a narrower pattern]",
        "[les {count} plus récents ; il y en a d'autres : précise le motif]",
    ),
    "no-matches": ("Nothing was found.", "Aucun résultat."),
    "first-lines": (
        "[the first {count} of {total} lines of result; head_limit=0 for all]",
        "[les {count} premières lignes de résultat sur {total} ; head_limit=0 pour toutes]",
    ),
    "bad-search": ("The search failed: {message}", "La recherche a échoué : {message}"),
    "no-model": ("No model is chosen.", "Aucun modèle n'est choisi."),
    "no-list": (
        "The model server lists no models.",
        "Le serveur de modèles ne liste aucun modèle.",
    ),
    "model-in-use": ("(in use)", "(utilisé)"),
    "no-output": ("(no output)", "(aucune sortie)"),
    "overwritten": (
        "[… {count} characters left out that were overwritten …]",
        "[… {count} caractères omis qui avaient été réécrits …]",
    ),
    "exit-code": ("[exit code: {code}]", "[code de sortie : {code}]"),
    "signal": ("[ended by signal {code}]", "[terminé par le signal {code}]"),
    "timeout": ("[time limit exceeded ({limit} s)]", "[délai dépassé ({limit} s)]"),
    "cancelled": ("[interrupted (Ctrl+C)]", "[interrompu (Ctrl+C)]"),
    "not-started": (
        "[the command could not be started]",
        "[échec du lancement de la commande]",
    ),
}


def tool_text(key: str, language: str, **values: object) -> str:
    """Returns one of the tools' sentences."""
    return say(TOOLS, key, language, **values)


def file_text(error: FileError, path: str, language: str, missing: str = "file-not-found") -> str:
    """Returns why a file operation failed; `missing` is the key for what is not there."""
    key = missing if error.code == "not-found" else f"file-{error.code}"
    if error.lookalike:
        return tool_text("file-lookalike", language, path=path, exactly=exactly(error.lookalike))
    told = tool_text(
        key if key in TOOLS else "file-other", language, path=path, message=error.message
    )
    if error.nearest:
        return tool_text("file-nearest", language, told=told, exactly=exactly(error.nearest))
    return told


def twin_text(error: FileError, path: str, language: str) -> str:
    """Returns why a file is not made beside another of the same look."""
    return tool_text("file-twin", language, path=path, exactly=exactly(error.twin))


def edit_text(error: EditError, path: str, language: str) -> str:
    """Returns why an edit was refused."""
    return tool_text(
        f"edit-{error.problem}",
        language,
        path=path,
        number=error.number,
        count=error.count,
        other=error.other,
    )
