"""Records: the profile of a space, contacts, projects and skills. All have versions, by one mechanism (versions.py)."""

from scrubjay.records.contacts import Contact, Contacts
from scrubjay.records.nested.differences import Difference
from scrubjay.records.profile import Profile
from scrubjay.records.projects import Project, Projects, ProjectSource
from scrubjay.records.skills import Skill, Skills
from scrubjay.records.versions import Version

__all__ = [
    "Contact",
    "Contacts",
    "Difference",
    "Profile",
    "Project",
    "ProjectSource",
    "Projects",
    "Skill",
    "Skills",
    "Version",
]
