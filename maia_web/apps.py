"""The project as an app: its commands and translations."""

from django.apps import AppConfig


class MaiaConfig(AppConfig):
    """Nothing happens at start."""

    name = "maia_web"
