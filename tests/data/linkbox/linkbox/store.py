"""Where links are kept."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Link:
    """A short link: its code, where it points, and how often it was followed."""

    code: str
    url: str
    hits: int = 0


class TakenError(Exception):
    """The code belongs to another link."""


class Store:
    """Keeps links in memory.

    >>> store = Store()
    >>> store.add(Link("abcd", "https://example.org"))
    >>> store.follow("abcd").hits
    1
    """

    def __init__(self) -> None:
        self._links: dict[str, Link] = {}

    def add(self, link: Link) -> None:
        """Keep ``link``; TakenError if its code is in use."""
        if link.code in self._links:
            raise TakenError(link.code)
        self._links[link.code] = link

    def follow(self, code: str) -> Link:
        """Return the link and count a visit; KeyError if there is none."""
        link = replace(self._links[code], hits=self._links[code].hits + 1)
        self._links[code] = link
        return link

    def remove(self, code: str) -> None:
        """Forget the link; KeyError if there is none."""
        del self._links[code]
