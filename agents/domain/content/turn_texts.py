"""What the loop itself says to the model and in notices (seed M §6.2, §6.3)."""

from __future__ import annotations

from agents.domain.content.model_messages import ModelMessage, ToolResultBlock
from agents.domain.content.wording import Sentences, say

TURN: Sentences = {
    "unknown-tool": ("Unknown tool: {name}", "Outil inconnu : {name}"),
    "stop": (
        "The user stopped here: this action was not run. Wait for their next message.",
        "L'utilisateur a demandé l'arrêt : cette action n'a pas été exécutée. "
        "Attends son prochain message.",
    ),
    "not-run": (
        "Not run: the user stopped before this action.",
        "Non exécuté : l'utilisateur a demandé l'arrêt avant cette action.",
    ),
    "interrupted": (
        "Interrupted: the server stopped while this action was running. It was not run again; "
        "check what it did before you repeat it.",
        "Interrompu : le serveur s'est arrêté pendant cette action. Elle n'a pas été relancée ; "
        "vérifie ce qu'elle a fait avant de la répéter.",
    ),
    "cancelled": ("Cancelled.", "Annulé."),
    "continue": ("Continue.", "Continue."),
    "broken-tool": (
        "The tool {name} failed because of an internal error. Try another way.",
        "L'outil {name} a échoué à cause d'une erreur interne. Essaie autrement.",
    ),
    "no-json": (
        "The arguments of {name} are not a JSON object: nothing was run. They begin with: {text}",
        "Les arguments de {name} ne sont pas un objet JSON : rien n'a été exécuté. Ils commencent "
        "par : {text}",
    ),
    "one-of-many": (
        "(The arguments held {count} objects: only the first was used. Make a call for each.)\n",
        "(Les arguments contenaient {count} objets : seul le premier a été utilisé. Fais un appel "
        "pour chacun.)\n",
    ),
    "written-call": (
        "The model wrote a tool call as text, so nothing was run: its server does not read its "
        "tool calls. An administrator can switch on the server's parser for them (vLLM: "
        "--enable-auto-tool-choice, llama.cpp: --jinja), or mark the model under Models.",
        "Le modèle a écrit un appel d'outil comme du texte, donc rien n'a été exécuté : son "
        "serveur ne lit pas ses appels d'outils. Un administrateur peut activer l'analyseur "
        "d'appels d'outils du serveur (vLLM : --enable-auto-tool-choice, llama.cpp : --jinja), ou "
        "marquer le modèle sous Modèles.",
    ),
    "thought-only": (
        "The model thought, but gave no answer. Ask again, or choose another model.",
        "Le modèle a réfléchi, mais n'a pas répondu. Demandez à nouveau, ou choisissez un autre "
        "modèle.",
    ),
    "shortened": ("[… {count} characters left out …]", "[… {count} caractères omis …]"),
    "retry": (
        "The model's server did not answer ({reason}); trying again in {delay:.0f} s.",
        "Le serveur du modèle n'a pas répondu ({reason}) ; nouvel essai dans {delay:.0f} s.",
    ),
    "cut": (
        "The answer was cut by the output token limit; raise the limit or ask to go on.",
        "Réponse coupée par la limite de tokens de sortie ; augmentez la limite ou demandez "
        "de continuer.",
    ),
    "no-end": (
        "The model's server ended the answer too early. Send your message again.",
        "Le serveur du modèle a interrompu la réponse. Renvoyez votre message.",
    ),
    "empty": (
        "The model answered nothing. Send your message again, or choose another model.",
        "Le modèle n'a rien répondu. Renvoyez votre message, ou choisissez un autre modèle.",
    ),
}


def turn_text(key: str, language: str, **values: object) -> str:
    """Returns one of the loop's sentences."""
    return say(TURN, key, language, **values)


def is_stopped(message: ModelMessage) -> bool:
    """Tells whether these results end a turn that a person stopped and nobody took up since.

    A request that follows merges into the message as text (seed M §6.2), so that the last block
    is no result any more.
    """
    if not message.content or not isinstance(message.content[-1], ToolResultBlock):
        return False
    return any(is_stop(block) for block in message.content if isinstance(block, ToolResultBlock))


def is_stop(result: ToolResultBlock) -> bool:
    """Tells whether a person answered "stop" to this call."""
    return bool(result.is_error) and result.content in TURN["stop"]
