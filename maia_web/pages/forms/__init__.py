"""The forms of the server-rendered pages."""

from maia_web.pages.forms.models import KnownModelForm, ModelServerForm
from maia_web.pages.forms.people import (
    InviteForm,
    NewAccountForm,
    PasswordForm,
    ProfileForm,
    SignInForm,
)
from maia_web.pages.forms.workspaces import (
    DeleteWorkspaceForm,
    LeaveForm,
    MemberForm,
    WorkspaceForm,
)

__all__ = [
    "DeleteWorkspaceForm",
    "InviteForm",
    "KnownModelForm",
    "LeaveForm",
    "MemberForm",
    "ModelServerForm",
    "NewAccountForm",
    "PasswordForm",
    "ProfileForm",
    "SignInForm",
    "WorkspaceForm",
]
