"""What people look at: figures, the public report, the private audit.

Only the facts are imported here, so that it costs nothing; the pages (`shoal.report.pages`) bring jinja2 and are
imported only where one is written.
"""

from shoal.report.facts import Audit, Report

__all__ = ["Audit", "Report"]
