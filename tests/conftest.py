"""What all tests share: they leave the user's cache alone, and none of them looks at a clock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

# A busy machine is no failure: how fast things are is for the bench to say.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(autouse=True, scope="session")
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SATCHEL_CACHE_DIR", str(tmp_path_factory.mktemp("caches")))
        yield
