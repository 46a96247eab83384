"""Synthesis of inputs: arguments for a class's constructor and for a call, with which the code runs.

The static half reads sources, imports nothing of the user's and needs no torch. Its result (``target_facts.Hints``) is
plain data that is passed to the worker:

- ``static_hints``: the entry function.
- ``signature_docs`` with ``shapes``: parameters, their docstrings, comments and first uses.
- ``call_sites`` with ``close_expressions``: calls in tests, scripts, docstrings and the README.

The dynamic half runs in the worker, where the target can be called:

- ``search``: the entry function; builds the target, guesses inputs, calls, changes the inputs according to the error,
  and calls again.
- ``values``: arguments as expressions. ``namespace``: the names that expressions are evaluated with.
- ``guesser``: first guesses, by annotation (``by_annotation``), by name (``by_parameter_name``), and by the layers that
  an argument flows into (``flow``, ``flow_values``, ``tensor_transfer``, ``layers``).
- ``attempts``: one call, and the facts about its failure.
- ``messages`` and ``messages.asserts``: what an error asks for, as ``error_requests``.
- ``changes`` with ``tensor_changes`` and ``value_changes``: the calls to try next.
- ``stub``: the file for the user to fill in if no call was found.
"""
