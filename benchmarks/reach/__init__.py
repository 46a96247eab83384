"""Reach of findings, compared with the lines that ran when graph breaks were recorded."""
