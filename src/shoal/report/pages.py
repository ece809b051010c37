"""The two pages: the public report and the private audit, each one file that needs no network."""

from shoal.report.facts import Audit, Report

__all__ = ["Audit", "Report", "audit_html", "report_html"]


def report_html(report: Report) -> str:
    """Return the public report as one offline html file."""
    raise NotImplementedError


def audit_html(audit: Audit) -> str:
    """Return the private audit as one offline html file."""
    raise NotImplementedError
