"""Addresses of the server-rendered pages."""

from __future__ import annotations

from django.urls import path

from maia_web.lib.late import Views
from maia_web.pages.accounts import sign_in

account = Views("maia_web.pages.accounts.account")
agents = Views("maia_web.pages.agents")
audit = Views("maia_web.pages.audit")
first_start = Views("maia_web.pages.accounts.first_start")
inbox = Views("maia_web.pages.inbox")
joining = Views("maia_web.pages.accounts.invitation")
members = Views("maia_web.pages.workspaces.members")
model_servers = Views("maia_web.pages.model_servers")
own_files = Views("maia_web.pages.accounts.own_files")
people = Views("maia_web.pages.accounts.people")
rules = Views("maia_web.pages.rules.pages")
rules_preview = Views("maia_web.pages.rules.preview")
sessions = Views("maia_web.pages.sessions")
switches = Views("maia_web.pages.switches")
workspaces = Views("maia_web.pages.workspaces.workspaces")

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
    path("admin/agents", agents.agents, name="agents"),
    path("admin/agents/<str:name>", agents.change, name="change-agent"),
    path("admin/models", model_servers.models, name="models"),
    path("admin/models/known", model_servers.say_of_model, name="known-model"),
    path("admin/models/test", model_servers.models_test, name="models-test"),
    path("admin/models/found", model_servers.models_found, name="models-found"),
    path("w/new", workspaces.new_workspace, name="new-workspace"),
    path("w/<str:workspace>/settings", workspaces.settings, name="workspace-settings"),
    path("w/<str:workspace>/name", workspaces.rename, name="rename-workspace"),
    path("w/<str:workspace>/git", workspaces.git, name="workspace-git"),
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
    path("inbox", inbox.inbox, name="inbox"),
    path("admin/rules", rules.site_rules, name="rules"),
    path("admin/rules/cases", rules.cases, name="rule-cases"),
    path("admin/audit", audit.audit, name="audit"),
    path("admin/audit/audit.<str:format>", audit.audit_file, name="audit-file"),
    path("admin/audit/keep", audit.keep_audit, name="keep-audit"),
    path("w/<str:workspace>/rules", rules.workspace_rules, name="workspace-rules"),
    path("w/<str:workspace>/rules/trust", rules.trust, name="trust-rules"),
    path("w/<str:workspace>/rules/looked", rules.look_at_gone, name="look-at-gone"),
    path("w/<str:workspace>/rules/requests", rules.requests, name="request-settings"),
    path("account/rules", rules.own_rules, name="own-rules"),
    path("rules/<str:page>/add", rules.add, name="add-rule"),
    path("rules/<str:page>/preview", rules_preview.preview, name="preview-rule"),
    path("rules/<str:page>/import", rules.import_file, name="import-rules"),
    path("rules/<str:page>/export", rules.export_file, name="export-rules"),
    path("rules/<str:page>/<int:rule>", rules.change, name="change-rule"),
    path("rules/<str:page>/<int:rule>/switch", rules.switch, name="switch-rule"),
    path("rules/<str:page>/<int:rule>/delete", rules.delete, name="delete-rule"),
    path("account/files", own_files.own_files, name="own-files"),
    path("account/files/<str:name>", own_files.own_files, name="own-file"),
    path("account", account.account, name="account"),
    path("account/password", account.password, name="password"),
    path("account/end-sessions", account.end_sessions, name="end-sessions"),
    path("language", switches.language, name="language"),
    path("theme", switches.theme, name="theme"),
]
