# SPDX-License-Identifier: Apache-2.0
"""The addresses of the runbooks, each named after its alert."""

import re

import settings


def file(alert):
    """The file name of a runbook. For AxiomCircuitOpen it is axiom-circuit-open.md."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", alert).lower() + ".md"


def url(alert):
    """The address of a runbook; relative to the root of the repository if the generator has no base URL."""
    return (settings.RUNBOOKS or f"{settings.REPOSITORY}Documentation/runbooks/") + file(alert)


def are_absolute():
    return settings.RUNBOOKS != "" or settings.REPOSITORY != ""
