"""The graphs and frames that Dynamo makes of a traced function, and the cost of each graph break."""

from __future__ import annotations
