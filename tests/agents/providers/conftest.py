"""Fixtures of the providers' tests."""

from tests.support.litellm_proxy import litellm

__all__ = ["litellm"]
