"""Commands about records: profile, contacts, projects, skills."""

from scrubjay.interfaces.cli.records import contacts, profile, projects, skills

__all__ = ["contacts", "profile", "projects", "skills"]
