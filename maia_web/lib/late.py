"""What is loaded when it is first asked for, or soon after the first page.

Whoever starts the site waits for its first page: not for the interface, the sockets and the pages
that come later. Each is named here once; `load_all` loads them all beside the first requests, so
that hardly anybody meets one that is not there yet, and a part that cannot be loaded ends the site
instead of breaking under the first person who needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLResolver
from django.urls.resolvers import RoutePattern

View = Callable[..., HttpResponseBase]

_names: dict[str, None] = {}
_broken: set[str] = set()
_one_at_a_time = RLock()  # two threads that import each other's halves would get half a module


def names() -> frozenset[str]:
    """Returns the names of all late modules."""
    return frozenset(_names)


def broken() -> frozenset[str]:
    """Returns the names of those that could not be loaded."""
    return frozenset(_broken)


def load(name: str) -> ModuleType:
    """Returns the module of this name; raises what it raises."""
    with _one_at_a_time:
        try:
            return import_module(name)
        except BaseException:
            _broken.add(name)
            raise


def load_all() -> None:
    """Loads every late module; raises what the first broken one raises."""
    for name in _names:
        load(name)


class Module:
    """A late module; `module` is None until somebody has loaded it."""

    def __init__(self, name: str) -> None:
        _names[name] = None
        self._name = name
        self.module: Any = None

    def load(self) -> Any:
        """Returns the module, loading it; not to be called on a loop that others wait for."""
        self.module = self.module or load(self._name)
        return self.module


class Views:
    """A late module of views: each of its attributes is a view, whatever its name."""

    def __init__(self, module: str) -> None:
        _names[module] = None
        self._module = module

    def __getattr__(self, name: str) -> View:
        def view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            answer: HttpResponseBase = getattr(load(self._module), name)(request, *args, **kwargs)
            return answer

        view.__name__ = view.__qualname__ = name
        view.__module__ = self._module
        return view


class Addresses(URLResolver):
    """Addresses below a route, in a namespace of their own, from a late module's `urlpatterns`.

    Django's loads the module as soon as any page looks up any name.
    """

    def __init__(self, route: str, module: str, app_name: str, namespace: str) -> None:
        _names[module] = None
        super().__init__(RoutePattern(route), module, None, app_name, namespace)

    @property
    def urlconf_module(self) -> ModuleType:
        """Returns the module, loading it."""
        return load(str(self.urlconf_name))

    def _populate(self) -> None:
        """Has no names but those in the namespace, which Django looks up another way."""
