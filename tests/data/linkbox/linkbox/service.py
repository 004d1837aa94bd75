"""The operations behind the routes, apart from HTTP."""

import hmac
from dataclasses import dataclass
from urllib.parse import urlsplit

from .codes import is_code, new_code
from .store import Link, Store, TakenError

MAX_URL = 2_000


@dataclass(frozen=True)
class Answer:
    """An HTTP status and the body that goes with it."""

    status: int
    body: dict[str, object]


class Service:
    """Makes, follows and forgets links.

    Parameters
    ----------
    store
        Where links are kept.
    token
        Needed to make and to forget links, when set.
    code_length
        Characters of a new code.
    """

    def __init__(self, store: Store, token: str | None = None, code_length: int = 6) -> None:
        self.store = store
        self.token = token
        self.code_length = code_length

    def create(self, url: str, code: str | None = None, token: str | None = None) -> Answer:
        """Make a link to ``url``, under a code of the caller's choice or a new one."""
        if not self._allowed(token):
            return Answer(401, {"error": "the token is missing or wrong"})
        if len(url) > MAX_URL or urlsplit(url).scheme not in ("http", "https"):
            return Answer(400, {"error": "the address is missing, too long or not http"})
        if code is not None and not is_code(code):
            return Answer(400, {"error": "the code holds other characters than a to z and 2 to 9"})
        link = Link(code or new_code(self.code_length), url)
        try:
            self.store.add(link)
        except TakenError:
            return Answer(409, {"error": "the code is in use"})
        return Answer(201, {"code": link.code, "url": link.url, "hits": 0})

    def resolve(self, code: str) -> Answer:
        """Return where ``code`` points, as a redirect."""
        try:
            link = self.store.follow(code)
        except KeyError:
            return Answer(404, {"error": "no such code"})
        return Answer(302, {"location": link.url})

    def delete(self, code: str, token: str | None = None) -> Answer:
        """Forget a link."""
        if not self._allowed(token):
            return Answer(401, {"error": "the token is missing or wrong"})
        try:
            self.store.remove(code)
        except KeyError:
            return Answer(404, {"error": "no such code"})
        return Answer(204, {})

    def _allowed(self, token: str | None) -> bool:
        return self.token is None or hmac.compare_digest(self.token, token or "")
