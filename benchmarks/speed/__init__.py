"""Speed and memory of gblint, compared with other commands on the same machine."""
