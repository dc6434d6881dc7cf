"""Django settings; what a site may change comes from the environment (README, "Configuration")."""

from __future__ import annotations

import os
import socket

from csp.constants import NONCE, NONE, SELF
from django.utils.translation import gettext_lazy as _

from maia_web.lib import config

VERSION = "0.1.0"
BASE_DIR = config.ROOT
DATA = config.data_folder()
DEBUG = config.flag("MAIA_DEBUG")
HOST = os.environ.get("MAIA_HOST", "127.0.0.1")
PORT = config.number("MAIA_PORT", 8000, 1, 65_535)
# So much stays free on the disk of the data; below it nobody saves files or runs commands.
COMMAND_MEMORY_MB = config.number("MAIA_COMMAND_MEMORY_MB", 2_000, 64, 1_000_000)
COMMAND_WRITE_MB = config.number("MAIA_COMMAND_WRITE_MB", 2_000, 1, 1_000_000)
FREE_MB = config.number("MAIA_FREE_MB", 256, 0, 1_000_000)
SECRET_KEY = os.environ.get("MAIA_SECRET_KEY") or config.secret("secret-key", DATA)

ALLOWED_HOSTS = config.words("MAIA_ALLOWED_HOSTS") or ["localhost", "127.0.0.1", "[::1]", HOST]
config.refuse_prefix()
ORIGINS = config.origins() or [
    # The first one stands in links: it must be the address that is printed at the start.
    f"http://{host}:{PORT}"
    for host in (config.local_host(HOST), "127.0.0.1", "localhost", "[::1]")
]
CSRF_TRUSTED_ORIGINS = ORIGINS
BEHIND_TLS = all(origin.startswith("https://") for origin in ORIGINS)
TRUST_PROXY = config.flag("MAIA_TRUST_PROXY")
if TRUST_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- where turns live, and how processes talk ------------------------------------------------
REDIS_URL = os.environ.get("REDIS_URL", "")
BROKER_URL = os.environ.get("MAIA_BROKER_URL", "")
# Each machine takes the turns of the workspaces it holds from a queue of its own.
HOST_QUEUE = os.environ.get("MAIA_HOST_QUEUE") or f"maia.{socket.gethostname()}"
# A turn whose host is silent for so long is taken up by another one.
LEASE_SECONDS = float(os.environ.get("MAIA_LEASE_SECONDS") or 30)
# Hosts (`name` or `name:port`) that WebFetch and people's own model servers may reach although they
# are not on the public internet.
INTERNAL_HOSTS = config.words("MAIA_INTERNAL_HOSTS")
# The key of a LiteLLM server that was saved without one.
LITELLM_API_KEY = os.environ.get("LITELLM_API_KEY", "")
# Whether a person's ~/.maia/settings.json may name a model server of their own.
OWN_MODEL_SERVERS = config.flag("MAIA_OWN_MODEL_SERVERS")
DATABASES = {
    "default": config.database_address(
        "" if os.environ.get("DATABASE_URL") else f"sqlite:///{config.database_file(DATA)}"
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    DATABASES["default"]["TEST"] = {"NAME": str(DATA / "test.sqlite3")}

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "maia_web.accounts",
    "maia_web",
    "workspaces",
    "agents",
]
MIDDLEWARE = [
    "maia_web.pages.middleware.private_answers",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "maia_web.pages.middleware.PersonMiddleware",
    "maia_web.pages.middleware.PersonLanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "maia_web.urls"
ASGI_APPLICATION = "maia_web.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates", config.package("ninja") / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "maia_web.pages.context.site",
            ]
        },
    }
]

# --- people ----------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "app"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
_VALIDATION = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATION}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": f"{_VALIDATION}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATION}.NumericPasswordValidator"},
]
_PREFIX = "__Host-" if BEHIND_TLS else ""
SESSION_ENGINE = "maia_web.accounts.session_store"
SESSION_COOKIE_NAME = f"{_PREFIX}maia-session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_AGE = 14 * 24 * 3600
DEVICE_COOKIE_NAME = f"{_PREFIX}maia-device"
CSRF_COOKIE_NAME = f"{_PREFIX}maia-csrf"
CSRF_COOKIE_SECURE = BEHIND_TLS
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_USE_SESSIONS = False

# --- languages and time ----------------------------------------------------------------------
LANGUAGE_CODE = os.environ.get("MAIA_LANGUAGE", "en")
LANGUAGES = [("en", _("English")), ("fr", _("French"))]
LOCALE_PATHS = [BASE_DIR / "maia_web" / "locale"]
LANGUAGE_COOKIE_NAME = "maia-language"
LANGUAGE_COOKIE_SAMESITE = "Lax"
USE_I18N = True
USE_TZ = True
TIME_ZONE = os.environ.get("TZ") or "UTC"

# --- static files: one prefix per release, cached for ever -----------------------------------
STATICFILES_DIRS = [BASE_DIR / "static"]
RELEASE = config.release(BASE_DIR / "static", VERSION)
STATIC_URL = f"/static/{RELEASE}/"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- browser ---------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:", "blob:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
MAX_SOCKET_MESSAGE = 1024 * 1024
# What is larger is answered with a sentence; beyond this the server closes the socket unread.
MAX_SOCKET_FRAME = 4 * MAX_SOCKET_MESSAGE

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"safe": {"()": "maia_web.lib.logs.SafeFilter"}},
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["safe"],
        }
    },
    "root": {"handlers": ["console"], "level": os.environ.get("MAIA_LOG", "INFO")},
    "loggers": {
        "daphne": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
    },
}
