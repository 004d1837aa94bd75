"""What all tests share: they leave the user's cache alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SATCHEL_CACHE_DIR", str(tmp_path_factory.mktemp("caches")))
        yield
