# SPDX-License-Identifier: Apache-2.0
"""The options of Dashboards/generate, and the settings that they change."""

import argparse
import re
from pathlib import Path
from urllib.parse import urlsplit

import settings

_DURATION = re.compile(r"[1-9][0-9]*(ms|s|m|h|d)\Z")
_JOB = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?\Z")


def read(description, folder):
    """The chosen options. Their values are checked; a wrong one ends the program with a message."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--into", type=Path, default=folder, metavar="FOLDER", help="where to write; the default is this folder"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file would change")
    parser.add_argument(
        "--job",
        type=_job,
        default=settings.JOB,
        help="the Prometheus job that scrapes the application, and the name of the application in Kubernetes (axiom)",
    )
    _links(parser)
    _durations(parser)
    return parser.parse_args()


def _links(parser):
    links = parser.add_mutually_exclusive_group()
    links.add_argument(
        "--runbooks",
        type=_url,
        metavar="URL",
        help="the base URL of the runbooks, such as https://runbooks.example.org/axiom/, to which the name of a file is"
        " appended",
    )
    links.add_argument(
        "--repository",
        type=_url,
        metavar="URL",
        help="the same for the runbooks in your copy of the repository, such as"
        " https://git.example.org/axiom/blob/main/. Without a URL the links of the alerts are relative to the repository,"
        " and the dashboards have none",
    )


def _durations(parser):
    parser.add_argument(
        "--group-wait",
        type=_duration,
        default=settings.GROUP_WAIT,
        metavar="DURATION",
        help=f"how long Alertmanager waits for more alerts before the first notification ({settings.GROUP_WAIT})",
    )
    parser.add_argument(
        "--group-interval",
        type=_duration,
        default=settings.GROUP_INTERVAL,
        metavar="DURATION",
        help=f"how often Alertmanager sends what has changed in a group ({settings.GROUP_INTERVAL})",
    )


def apply(options):
    """Changes the settings. Call it before the rules are imported, which read them."""
    settings.JOB = options.job
    settings.RUNBOOKS, settings.REPOSITORY = options.runbooks or "", options.repository or ""
    settings.GROUP_WAIT, settings.GROUP_INTERVAL = options.group_wait, options.group_interval


def _url(text):
    """A base URL, with a slash at its end: a name is appended to it."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a URL: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise argparse.ArgumentTypeError(f"{text!r}: give a URL that begins with https:// or http:// and a host")
    if re.search(r'[\s"<>\\{}]', text) or not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r}: give a URL without blanks, quotation marks and brackets; escape them")
    if parts.query or parts.fragment or "?" in text or "#" in text:
        raise argparse.ArgumentTypeError(f"{text!r}: give a URL without ? and #; the name of a file is appended to it")
    if parts.username is not None:
        raise argparse.ArgumentTypeError("give a URL without a user name: everybody who sees an alert sees its links")
    return text if text.endswith("/") else text + "/"


def _duration(text):
    if not _DURATION.match(text):
        raise argparse.ArgumentTypeError(f"{text!r}: give a duration above 0 such as 500ms, 30s, 5m or 1h")
    return text


def _job(text):
    if not _JOB.match(text):
        raise argparse.ArgumentTypeError(
            f"{text!r}: give a name of at most 63 letters, digits and - _ . that begins and ends with a letter or digit: it"
            " is also a label of Kubernetes"
        )
    return text
