"""What all screens of the app share: access to the app, and the names of keys in the user's language."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from textual.screen import Screen

from tengen.core.translation import gettext as _

if TYPE_CHECKING:
    from tengen.terminal.app.main import TengenApp


class AppScreen(Screen[None]):
    """A screen of `TengenApp`."""

    @property
    def tengen(self) -> TengenApp:
        return cast("TengenApp", self.app)

    @property
    def active_bindings(self) -> dict[str, Any]:
        """The bindings shown at the bottom of the screen. They are class attributes, so they are in English."""
        return {
            key: one._replace(binding=replace(one.binding, description=_(one.binding.description)))
            for key, one in super().active_bindings.items()
        }
