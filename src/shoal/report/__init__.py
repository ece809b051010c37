"""What people look at: figures, the public report, the private audit.

Only the facts are imported here, so that it costs nothing; the pages (`shoal.report.pages`) and the figures
(`shoal.report.figures`) bring jinja2 and plotly and are imported only where a page is drawn.
"""

from shoal.report.facts import Audit, Report

__all__ = ["Audit", "Report"]
