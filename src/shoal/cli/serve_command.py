"""`shoal serve`: what the other commands do, in a browser."""

import click

from shoal.cli.show import print_line

__all__ = ["serve"]


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Where to listen; a free port by default."
)
@click.option("--no-browser", is_flag=True, help="Print the page's address, and open nothing.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=2000,
    show_default=True,
    metavar="MB",
    help="How large a file that is sent may be.",
)
@click.option(
    "--databases", is_flag=True, help="Let jobs of pipelines read databases that their configuration names."
)
@click.option(
    "--folder",
    "folders",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    multiple=True,
    metavar="DIR",
    help="Let jobs of pipelines read files of this folder; may be given several times.",
)
def serve(port: int, no_browser: bool, limit: int, databases: bool, folders: tuple[str, ...]) -> None:
    """Do all of this in a browser, on this machine only.

    Opens a page that leads from a file to a release, and a REST interface for pipelines. The page's
    address holds a token that works once. Everything that was sent is removed when the server ends
    (Ctrl-C).
    """
    import os

    from shoal.web.serve import serve as served
    from shoal.web.server.guard import TOKEN
    from shoal.web.server.job_folder import Allowed
    from shoal.web.server.workspace import Server

    def told(server: Server, address: str) -> None:
        if no_browser:
            print_line(address)
        else:
            click.echo(f"the page is at {address}", err=True)
        if not os.environ.get(TOKEN):
            click.echo(f"pipelines send this token: {server.keys.bearer}", err=True)
        click.echo("Ctrl-C ends it, and removes what was sent", err=True)

    allowed = Allowed(databases, folders)
    served(port, limit=limit * 10**6, allowed=allowed, say=told, browser=not no_browser)
