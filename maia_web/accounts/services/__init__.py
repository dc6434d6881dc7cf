"""What may happen to people: accounts, invitations, the first start, sign-in, preferences."""

from maia_web.accounts.services.invitations import accept_invitation, invite, withdraw_invitation
from maia_web.accounts.services.people import (
    create_user,
    set_active,
    set_administrator,
)
from maia_web.accounts.services.preferences import (
    change_mail,
    change_name,
    change_password,
    choose_language,
    choose_theme,
)
from maia_web.accounts.services.sessions import (
    change_own_password,
    end_other_sessions,
    sign_out,
    sign_out_everywhere,
)
from maia_web.accounts.services.setup_tokens import (
    finish_setup,
    setup_link,
    use_setup_token,
)
from maia_web.accounts.services.sign_in import sign_in

__all__ = [
    "accept_invitation",
    "change_mail",
    "change_name",
    "change_own_password",
    "change_password",
    "choose_language",
    "choose_theme",
    "create_user",
    "end_other_sessions",
    "finish_setup",
    "invite",
    "set_active",
    "set_administrator",
    "setup_link",
    "sign_in",
    "sign_out",
    "sign_out_everywhere",
    "use_setup_token",
    "withdraw_invitation",
]
