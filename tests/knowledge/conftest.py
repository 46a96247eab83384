"""Fixtures of the knowledge tests."""

from __future__ import annotations

import pytest

from gblint.knowledge.catalog import Knowledge, load


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of the tests that run Dynamo."""
    config.addinivalue_line("markers", "oracle: runs Dynamo itself; needs torch")


@pytest.fixture(scope="session")
def known() -> Knowledge:
    """Return the knowledge of torch 2.13."""
    return load("2.13")
