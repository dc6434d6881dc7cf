"""People, the links that invite them, and the one-time link of the first start."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """A person with a sign-in. `is_staff` marks administrators of the site."""

    first_name = None
    last_name = None
    display_name = models.CharField(_("name"), max_length=80, blank=True)
    language = models.CharField(
        _("language"), max_length=5, blank=True, choices=[("en", "English"), ("fr", "Français")]
    )
    theme = models.CharField(
        max_length=6, blank=True, choices=[("light", "light"), ("dark", "dark")]
    )
    preferences = models.JSONField(default=dict, blank=True)

    @property
    def name(self) -> str:
        """The name others see."""
        return self.display_name or self.username

    @property
    def is_administrator(self) -> bool:
        """Whether this person administers the site."""
        return self.is_active and self.is_staff


class Invitation(models.Model):
    """A link that makes one account, once. Only the hash of its token is kept."""

    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    administrator = models.BooleanField(default=False)
    note = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")


class SignInFailure(models.Model):
    """A failed sign-in, counted per account name and address to slow guessing down."""

    key = models.CharField(max_length=64, db_index=True)
    at = models.DateTimeField(auto_now_add=True, db_index=True)
