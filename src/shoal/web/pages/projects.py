"""The projects of a server."""

from collections.abc import Iterator
from shutil import rmtree

from shoal.web.pages.given import Given
from shoal.web.pages.project import Project
from shoal.web.workspace import Server

__all__ = ["Projects"]


class Projects:
    """The projects of a server, the newest first."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._there: dict[str, Project] = {}

    def __iter__(self) -> Iterator[Project]:
        return iter(reversed(list(self._there.values())))

    def get(self, number: str) -> Project | None:
        """The project of a number."""
        return self._there.get(number)

    def add(self, given: Given) -> Project:
        """Begin with data that somebody gave: they are looked at at once."""
        project = Project(self.server, given)
        project.propose()
        self._there[project.id] = project
        return project

    async def remove(self, project: Project) -> None:
        """Forget a project and its jobs, and remove all files of them."""
        self._there.pop(project.id, None)
        project.gone = True
        for job in project.begun:
            await self.server.jobs.remove(job)
        for number in project.given.uploads:
            self.server.uploads.remove(number)
        rmtree(project.folder, ignore_errors=True)
