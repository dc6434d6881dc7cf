"""People, the links that invite them, and the one-time link of the first start."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from maia_web.lib.names.folding import fold, is_printable


class User(AbstractUser):
    """A person with a sign-in. `is_staff` marks administrators of the site."""

    first_name = None  # type: ignore[assignment]  # Django's documented way to drop a field
    last_name = None  # type: ignore[assignment]  # one name is enough for everybody
    display_name = models.CharField(_("name"), max_length=80, blank=True)
    language = models.CharField(
        _("language"), max_length=5, blank=True, choices=[("en", "English"), ("fr", "Français")]
    )
    theme = models.CharField(
        max_length=6, blank=True, choices=[("light", "light"), ("dark", "dark")]
    )
    preferences = models.JSONField(default=dict, blank=True)
    sessions_epoch = models.PositiveIntegerField(default=0)

    @property
    def name(self) -> str:
        """The name others see."""
        return self.display_name or self.username

    def get_full_name(self) -> str:
        """The name others see."""
        return self.name

    def get_short_name(self) -> str:
        """The name others see."""
        return self.name

    @property
    def is_administrator(self) -> bool:
        """Whether this person administers the site."""
        return self.is_active and self.is_staff

    @classmethod
    def normalize_username(cls, username: str) -> str:
        """Returns the name as it is kept: NFKC and small letters, so that case never matters."""
        return super().normalize_username(username).lower()

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Refuses a name that nobody sees, or that turns the direction of what stands beside it."""
        super().clean_fields(exclude=exclude)
        name = self.display_name
        if "display_name" in (exclude or ()) or not name:
            return
        if not fold(name) or not is_printable(name):
            raise ValidationError({"display_name": _("A name has no control characters.")})

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Binds sessions to the password and to the epoch: raising it ends all of them."""
        value = f"{self.password}\0{self.sessions_epoch}"
        return salted_hmac("maia-session", value, secret=secret, algorithm="sha256").hexdigest()


class Invitation(models.Model):
    """A link that makes one account, once. Only the hash of its token is kept."""

    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    administrator = models.BooleanField(default=False)
    note = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")


class SetupToken(models.Model):
    """The one-time link of the first start. Whoever used it may finish the wizard."""

    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    finished_at = models.DateTimeField(null=True)


class SignInFailure(models.Model):
    """A failed sign-in, counted per account name, address, both or device to slow guessing down."""

    key = models.CharField(max_length=64, db_index=True)
    at = models.DateTimeField(default=timezone.now, db_index=True)


class KnownAddress(models.Model):
    """A network somebody signed in from: guesses made elsewhere do not make them wait there."""

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    network = models.CharField(max_length=64)  # its hash: nobody needs to read it
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "network"], name="one_known_address")
        ]
