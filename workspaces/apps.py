"""The workspaces app."""

from django.apps import AppConfig


class WorkspacesConfig(AppConfig):
    """Folders in which agents work and people share files."""

    name = "workspaces"
