"""Traits: what one model of one server does not take, or wants, as far as it was learned."""

from __future__ import annotations

from maia_web.lib.values import Value

COMPLETION_TOKENS = "max_completion_tokens"
"""The name that newer models of OpenAI want in place of `max_tokens`."""
REASONING = "reasoning_content"


class Traits(Value):
    """`left_out`: fields of a request that the server refused; "system" is that message's role.

    `renamed`: the output limit is sent as `max_completion_tokens`. `wants_reasoning`: each answer
    with calls goes back with `reasoning_content`, an empty one where it had none. `written_calls`:
    an administrator said that the model writes its tool calls into its text, and that they count.
    """

    left_out: tuple[str, ...] = ()
    renamed: bool = False
    wants_reasoning: bool = False
    written_calls: bool = False

    @property
    def names(self) -> str:
        """The fields it is asked without, as people read them."""
        return ", ".join([*self.left_out, *(["max_tokens"] if self.renamed else [])])

    def without(self, name: str) -> Traits:
        """Returns the same, and that `name` is left out."""
        return self.model_copy(update={"left_out": (*self.left_out, name)})
