"""A project and its interpreter that are kept between runs, so that an edit inside functions is analysed at once."""

from __future__ import annotations

from pathlib import Path

from gblint.config.settings import Config
from gblint.interp import Progress
from gblint.pipeline.context import LintRequest, Session, project_of
from gblint.pipeline.incremental_edit import apply_edit
from gblint.pipeline.lint import LintResult, lint
from gblint.project.notebook import SUFFIX
from gblint.project.project import Project
from gblint.project.source import parse_source, read_source
from gblint.runtime.lazy_dataclasses import replace


class KeptSession:
    """The session of a run, with the edits since.

    Findings may be stale if other results depend on the effects of an edited function; a run from the start does not
    have this limit.
    """

    def __init__(self, request: LintRequest, config: Config, project: Project, session: Session) -> None:
        self._request, self._config = request, config
        self._project, self._session = project, session
        self._texts = dict(request.overlays)

    @classmethod
    def build(
        cls, request: LintRequest, config: Config, progress: Progress | None = None
    ) -> tuple[LintResult, KeptSession | None]:
        """Lint in this process; return the result and what is kept of it.  Raises ConfigError."""
        project = project_of(request, config)
        outcome = lint(replace(request, project=project, keep_session=True), config, progress)
        session = outcome.session
        return outcome, None if session is None else cls(request, config, project, session)

    def fits(self, request: LintRequest, config: Config) -> bool:
        """Return whether the session was built for the same request and settings."""
        return (request, config) == (self._request, self._config)

    def apply(self, path: Path) -> bool:
        """Apply the edit of a file; return false if the session cannot be used any more.

        Raises SourceProblem if the new text cannot be read or parsed; the session then stays as it was.
        """
        if path.suffix == SUFFIX or not path.exists():
            return False
        text = read_source(path)
        if not apply_edit(self._project, self._session, path, text, parse_source(text)):
            return False
        self._texts[path] = text
        return True

    def lint(self, progress: Progress | None = None) -> LintResult:
        """Lint the edited project."""
        request = replace(self._request, overlays=self._texts, project=self._project, session=self._session)
        return lint(request, self._config, progress)
