"""Versioned facts about torch, numpy, the standard library and some packages: how Dynamo handles each.

``catalog.load()`` returns the ``Knowledge`` of one torch version.  It is data, built by ``tools.knowledge.extract`` and
checked by running Dynamo; neither torch nor anything else is imported to answer a question.
"""
