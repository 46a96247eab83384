"""Build the data in ``gblint/knowledge/data`` from the files of torch and from measurements."""
