"""Library problems: why a skill or a tool was skipped, for people in both languages."""

from __future__ import annotations

from agents.domain.content.wording import Sentences, say

_TEXTS: Sentences = {
    "no-header": (
        "it does not begin with a YAML header between two lines of ---",
        "il ne commence pas par un en-tête YAML entre deux lignes ---",
    ),
    "header-long": (
        "its YAML header has more than {most} characters",
        "son en-tête YAML a plus de {most} caractères",
    ),
    "broken-header": (
        "its YAML header is broken ({cause})",
        "son en-tête YAML est cassé ({cause})",
    ),
    "empty-header": ("its YAML header has no fields", "son en-tête YAML n’a aucun champ"),
    "no-description": ("it has no description", "il n’a pas de description"),
    "folder-name": (
        "the name of its folder has spaces or more than 64 characters",
        "le nom de son dossier contient des espaces ou plus de 64 caractères",
    ),
    "other-name": (
        "its header names it {given}, but its folder is {folder}",
        "son en-tête le nomme {given}, mais son dossier est {folder}",
    ),
    "broken-json": ("its JSON is broken ({cause})", "son JSON est cassé ({cause})"),
    "no-object": ("it is not a JSON object", "ce n’est pas un objet JSON"),
    "tool-name": (
        "its name {name} is not 1 to 64 letters, digits, _ or -",
        "son nom {name} n’est pas fait de 1 à 64 lettres, chiffres, _ ou -",
    ),
    "reserved": (
        "the name {name} is taken by a built-in tool",
        "le nom {name} est celui d’un outil intégré",
    ),
    "duplicate": (
        "another tool beside it is named {name} too",
        "un autre outil du même dossier s’appelle aussi {name}",
    ),
    "no-command": ('it has no "command" object', 'il n’a pas d’objet "command"'),
    "no-list": ('its "parameters" is not a list', '"parameters" n’est pas une liste'),
    "parameter": ("a parameter is not an object", "un paramètre n’est pas un objet"),
    "parameter-name": (
        "the parameter name {name} is not a letter or _ followed by letters, digits or _",
        "le nom de paramètre {name} n’est pas une lettre ou _ suivie de lettres, chiffres ou _",
    ),
    "parameter-twice": (
        "the parameter {name} is declared twice",
        "le paramètre {name} est déclaré deux fois",
    ),
    "parameter-type": (
        'the type {type} of the parameter {name} is neither "number" nor "string"',
        'le type {type} du paramètre {name} n’est ni "number" ni "string"',
    ),
    "parameter-description": (
        "the description of the parameter {name} is not a text",
        "la description du paramètre {name} n’est pas un texte",
    ),
    "default": (
        "the default of the parameter {name} does not fit its type",
        "la valeur par défaut du paramètre {name} ne correspond pas à son type",
    ),
    "no-run": ('its command has no "run" line', 'sa commande n’a pas de ligne "run"'),
    "run-long": (
        "its run line has more than {most} characters",
        "sa ligne run a plus de {most} caractères",
    ),
    "nul": ("its run line has a NUL character", "sa ligne run contient un caractère NUL"),
    "quote": (
        "a quote in its run line never closes",
        "un guillemet de sa ligne run n’est jamais fermé",
    ),
    "undeclared": (
        "{place} in its run line is no declared parameter",
        "{place} dans sa ligne run n’est pas un paramètre déclaré",
    ),
    "program": (
        "its program, the first word of the run line, cannot be a parameter",
        "son programme, le premier mot de la ligne run, ne peut pas être un paramètre",
    ),
    "model": (
        'its "model" is not the name of a model',
        '"model" n’est pas le nom d’un modèle',
    ),
    "unreadable": ("it cannot be read ({cause})", "il ne peut pas être lu ({cause})"),
    "no-file": ("there is no {file} in it", "il ne contient pas de {file}"),
    "too-many": (
        "only the first {most} folders were looked at",
        "seuls les {most} premiers dossiers ont été examinés",
    ),
}


class LibraryProblem(ValueError):
    """A file of the library is invalid; `code` is stable, `sentence` says why."""

    def __init__(self, code: str, **values: object) -> None:
        self.code = code
        self.values = values
        super().__init__(self.sentence("en"))

    def sentence(self, language: str) -> str:
        """Returns the cause in "en" or "fr"."""
        return say(_TEXTS, self.code, language, **self.values)
