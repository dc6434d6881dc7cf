"""Addresses of the server-rendered pages."""

from __future__ import annotations

from django.urls import path

from maia_web.pages import (
    account,
    first_start,
    joining,
    members,
    model_servers,
    people,
    sessions,
    sign_in,
    switches,
    workspaces,
)

urlpatterns = [
    path("sign-in", sign_in.sign_in, name="sign-in"),
    path("sign-out", sign_in.sign_out, name="sign-out"),
    path("setup/<str:token>", first_start.setup, name="setup"),
    path("setup/<str:token>/model", first_start.setup_model, name="setup-model"),
    path("setup/<str:token>/test", first_start.setup_test, name="setup-test"),
    path("setup/<str:token>/found", first_start.setup_found, name="setup-found"),
    path("setup/<str:token>/sandbox", first_start.setup_sandbox, name="setup-sandbox"),
    path("invite/<str:token>", joining.invite, name="invite"),
    path("admin/people", people.people, name="people"),
    path("admin/people/<int:user_id>/<slug:change>", people.change_person, name="change-person"),
    path(
        "admin/people/invitations/<int:invitation_id>/withdraw",
        people.withdraw,
        name="withdraw-invitation",
    ),
    path("admin/models", model_servers.models, name="models"),
    path("admin/models/test", model_servers.models_test, name="models-test"),
    path("admin/models/found", model_servers.models_found, name="models-found"),
    path("w/new", workspaces.new_workspace, name="new-workspace"),
    path("w/<str:workspace>/settings", workspaces.settings, name="workspace-settings"),
    path("w/<str:workspace>/name", workspaces.rename, name="rename-workspace"),
    path("w/<str:workspace>/leave", workspaces.leave, name="leave-workspace"),
    path("w/<str:workspace>/delete", workspaces.delete, name="delete-workspace"),
    path("w/<str:workspace>/members", members.add, name="add-member"),
    path("w/<str:workspace>/members/<int:member>/role", members.role, name="change-role"),
    path("w/<str:workspace>/members/<int:member>/remove", members.remove, name="remove-member"),
    path(
        "w/<str:workspace>/terminals/<str:terminal>/close",
        workspaces.close_terminal,
        name="close-terminal",
    ),
    path("w/<str:workspace>/c/<str:channel>/sessions", sessions.sessions, name="sessions"),
    path("w/<str:workspace>/c/<str:channel>/sessions/new", sessions.new, name="new-session"),
    path(
        "w/<str:workspace>/c/<str:channel>/sessions/delete",
        sessions.delete,
        name="delete-sessions",
    ),
    path(
        "w/<str:workspace>/c/<str:channel>/sessions/import",
        sessions.take_in,
        name="import-session",
    ),
    path(
        "w/<str:workspace>/c/<str:channel>/sessions/<int:session>/load",
        sessions.load,
        name="load-session",
    ),
    path(
        "w/<str:workspace>/c/<str:channel>/sessions/<int:session>/name",
        sessions.rename,
        name="rename-session",
    ),
    path(
        "w/<str:workspace>/c/<str:channel>/sessions/<int:session>/export",
        sessions.export,
        name="export-session",
    ),
    path("account", account.account, name="account"),
    path("account/password", account.password, name="password"),
    path("account/end-sessions", account.end_sessions, name="end-sessions"),
    path("language", switches.language, name="language"),
    path("theme", switches.theme, name="theme"),
]
