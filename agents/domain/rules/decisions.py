"""Decisions: what the model is told when a call may not run (seed M §6.3)."""

from __future__ import annotations

from agents.domain.content.wording import Sentences, say

DECISIONS: Sentences = {
    "denied": (
        "Action denied by the permission rules ({rule}). Do not try it again as it is.",
        "Action refusée par les règles de permissions ({rule}). Ne réessaie pas telle quelle.",
    ),
    "refused": ("The user refused this action.", "L'utilisateur a refusé cette action."),
    "refused-with-word": (
        "The user refused this action and says: {word}",
        "L'utilisateur a refusé cette action et dit : {word}",
    ),
    "edited": (
        "The user edited the command before allowing it. What ran:\n{command}\n\nIts result:\n",
        "L'utilisateur a modifié la commande avant de l'autoriser. Ce qui a été exécuté :\n"
        "{command}\n\nSon résultat :\n",
    ),
    "other-call": (
        "The permission was given for another call; the action was not run.",
        "La permission a été donnée pour un autre appel ; l'action n'a pas été exécutée.",
    ),
    "leads-elsewhere": (
        "A link that the call names leads to another file than when it was allowed; the action "
        "was not run.",
        "Un lien que l'appel nomme mène à un autre fichier que lors de l'autorisation ; l'action "
        "n'a pas été exécutée.",
    ),
    "expired": (
        "Nobody answered the permission request in time; the action was not run.",
        "Personne n'a répondu à temps à la demande de permission ; l'action n'a pas été exécutée.",
    ),
}


def decision_text(key: str, language: str, **values: object) -> str:
    """Returns the result text of a call that may not run."""
    return say(DECISIONS, key, language, **values)
