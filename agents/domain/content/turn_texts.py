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
