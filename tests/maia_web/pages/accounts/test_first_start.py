"""The wizard of the first start."""

import pytest
from django.test import Client

from agents.selectors.models.servers import current_server
from maia_web.accounts import services
from maia_web.accounts.models import User
from tests.support.known import known
from workspaces.models import Workspace

pytestmark = pytest.mark.django_db
ACCOUNT = {"display_name": "Camille", "username": "camille", "password": "correct horse 42"}


@pytest.fixture
def path() -> str:
    return "/setup/" + known(services.setup_link()).rsplit("/", 1)[1]


def test_the_wizard_makes_the_administrator_chooses_the_demo_and_ends(path: str) -> None:
    client = Client()
    assert client.get(path).status_code == 200
    assert client.get(f"{path}/model").status_code == 404
    answer = client.post(path, ACCOUNT)
    assert answer["Location"] == f"{path}/model"
    camille = User.objects.get()
    assert camille.is_administrator
    assert Workspace.objects.get().personal_of == camille
    assert client.get(path)["Location"] == f"{path}/model"
    assert client.get(f"{path}/model").status_code == 200
    assert client.post(f"{path}/model", {"skip": "1"})["Location"] == f"{path}/sandbox"
    assert known(current_server()).kind == "demo"
    page = client.get(f"{path}/sandbox")
    assert page.status_code == 200
    assert page.context["sandbox"].runtime in ("local", "none", "unconfined")
    assert client.post(f"{path}/sandbox")["Location"] == "/"
    for step in ("", "/model", "/sandbox"):
        assert client.get(path + step).status_code == 404


def test_the_link_is_spent_by_the_first_who_uses_it(path: str) -> None:
    first, second = Client(), Client()
    assert second.get(path).status_code == 200
    first.post(path, ACCOUNT)
    late = second.post(path, {**ACCOUNT, "username": "mallory"})
    assert late.status_code == 404
    for step in ("", "/model", "/sandbox", "/found"):
        assert second.get(path + step).status_code == 404
    assert second.post(f"{path}/test").status_code == 404
    assert User.objects.count() == 1


def test_another_administrator_cannot_go_on_with_the_wizard(path: str) -> None:
    Client().post(path, ACCOUNT)
    other = Client()
    other.force_login(services.create_user("ines", "correct horse 42", administrator=True))
    assert other.get(f"{path}/model").status_code == 404


def test_a_weak_password_is_refused_at_its_field_and_the_link_stays_good(path: str) -> None:
    client = Client()
    answer = client.post(path, {**ACCOUNT, "password": "short"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert 'aria-invalid="true"' in page
    assert 'aria-describedby="id_password_helptext id_password_error"' in page
    assert 'id="id_password_error"' in page
    assert "short" not in page.split("<main")[1].split("too short")[0]
    assert not User.objects.exists()
    assert client.post(path, ACCOUNT).status_code == 302


def test_a_wrong_token_opens_nothing(path: str) -> None:
    for wrong in ("/setup/x", path[:-1], path + "x"):
        assert Client().get(wrong).status_code == 404
        assert Client().post(wrong, ACCOUNT).status_code == 404
    assert not User.objects.exists()


def test_the_new_administrator_speaks_the_language_of_the_browser(path: str) -> None:
    client = Client(headers={"accept-language": "fr"})
    client.post(path, ACCOUNT)
    assert User.objects.get().language == "fr"
