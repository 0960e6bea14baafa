# SPDX-License-Identifier: Apache-2.0
"""Judges what was measured. Nothing here waits or reads a clock."""

from dataclasses import dataclass

# For so many minutes after an outage its errors are in the window of the alert. The alerts about budgets name their short
# window in a label.
WINDOWS = {"AxiomCircuitOpen": 5, "AxiomCircuitFlapping": 15, "AxiomRetryBudgetExhausted": 5}
BURN_ALERTS = ["AxiomErrorBudgetBurn", "AxiomPerformanceBudgetBurn"]
# What other programs cause that have the processors for more than a share of the time.
DELAY_ALERTS = ["AxiomPerformanceBudgetBurn"]
DELAY_KINDS = ["budget", "slow", "main_actor"]
# What the demo itself calls a problem: its errors of the last five minutes, and its circuits, at any speed of the rules.
PAGE_ALERTS = ["AxiomOutage", "AxiomProblem"]
PAGE_SECONDS = 300
TOLERABLE_WAIT = 0.02
MINUTES = {"m": 1, "h": 60, "d": 1_440}

# What each outage must cause: a name, and labels that the alert must have.
REQUIRED = [("AxiomErrorBudgetBurn", {"long": "1h"}), ("AxiomCircuitOpen", {})]

# The seconds that circuits may stay open after an outage, at any speed: up to 4 s, and five calls that succeed.
RECOVERY = 12


# MARK: Growth

@dataclass(frozen=True)
class Tolerance:
    """How much larger a size may be in the last quarter of the readings than in the second: by a share of it, or by an
    amount, whichever is more. In a run of less than 30 minutes the program still warms up: its histories fill, and more of
    its code runs for the first time."""

    share: float
    amount: float
    amount_while_warming: float


TOLERANCES = {
    "heap in use": Tolerance(0.10, 1e6, 4e6),
    "own memory": Tolerance(0.10, 2e6, 8e6),
    "threads": Tolerance(0.10, 4, 8),
    "descriptors": Tolerance(0.10, 6, 12),
    "series": Tolerance(0.02, 20, 60),
}
WARMING_SECONDS = 1_800


@dataclass(frozen=True)
class Growth:
    name: str
    second: float
    last: float
    least: float
    most: float
    allowed: float

    @property
    def is_tolerable(self):
        return self.last <= self.allowed


def growth(name, sizes, seconds):
    """Compares the means of the last and of the second quarter of a run; None for fewer than eight readings."""
    quarter = len(sizes) // 4
    if quarter < 2:
        return None
    second = sum(sizes[quarter:2 * quarter]) / quarter
    last = sum(sizes[-quarter:]) / quarter
    tolerance = TOLERANCES[name]
    amount = tolerance.amount_while_warming if seconds < WARMING_SECONDS else tolerance.amount
    return Growth(name, second, last, min(sizes), max(sizes), second + max(tolerance.share * second, amount))


# MARK: Alerts

@dataclass(frozen=True)
class Firing:
    """An alert that fired without a break. The times are seconds since the start of the load."""

    labels: tuple
    begin: float
    end: float

    @property
    def name(self):
        return dict(self.labels)["alertname"]


def firings(history, start, gap):
    """The alerts of a history without interruptions of more than `gap` seconds."""
    found = []
    for labels, times in history:
        key = tuple(sorted((name, value) for name, value in labels.items() if name not in ("__name__", "alertstate")))
        begin = last = None
        for at in sorted(times):
            if last is not None and at - last > gap:
                found.append(Firing(key, begin - start, last - start))
                begin = at
            begin = at if begin is None else begin
            last = at
        if last is not None:
            found.append(Firing(key, begin - start, last - start))
    return sorted(found, key=lambda firing: (firing.begin, firing.labels))


def window(firing):
    """How many minutes an outage explains this alert; None if no outage of the server does."""
    if firing.name in BURN_ALERTS:
        short = dict(firing.labels)["short"]
        return int(short[:-1]) * MINUTES[short[-1]]
    return WINDOWS.get(firing.name)


def seconds(firing, schedule):
    """For how many seconds after its cause an alert may fire; None if that is not known."""
    if firing.name in PAGE_ALERTS:
        return PAGE_SECONDS
    minutes = window(firing)
    return None if minutes is None else schedule.scaled(minutes)


def is_about_delays(firing):
    is_delay_of_page = firing.name in PAGE_ALERTS and dict(firing.labels).get("kind") in DELAY_KINDS
    return firing.name in DELAY_ALERTS or is_delay_of_page


def explanation(firing, schedule, slack):
    """The outages that explain an alert for its whole time, as numbers from 1; an empty list if it is unexplained."""
    lasting = seconds(firing, schedule)
    if lasting is None:
        return []
    covered, numbers = firing.begin, []
    for number, outage in enumerate(schedule.outages, 1):
        if outage.begin <= covered <= outage.end + lasting + RECOVERY + slack:
            numbers.append(number)
            covered = max(covered, outage.end + lasting + RECOVERY + slack)
    return numbers if covered >= firing.end else []


def is_delayed(firing, waits, schedule, slack):
    """Whether an alert is about delays, and the demo waited for processors in the time that the alert is about. `waits` are
    the seconds that it had waited, by the time since the start of the load."""
    if not is_about_delays(firing):
        return False
    begin, end = firing.begin - seconds(firing, schedule) - slack, firing.end + slack
    within = [(at, waited) for at, waited in waits if begin <= at <= end]
    return len(within) > 1 and within[-1][1] - within[0][1] > TOLERABLE_WAIT * (within[-1][0] - within[0][0])


def missing(found, schedule, slack):
    """The alerts that did not fire although they should have, as messages."""
    problems = []
    for number, outage in enumerate(schedule.outages, 1):
        for name, labels in REQUIRED:
            fired = any(
                firing.name == name and labels.items() <= dict(firing.labels).items()
                and firing.begin <= outage.end + slack and firing.end >= outage.begin
                for firing in found
            )
            if not fired:
                described = name + "".join(f' {label}="{value}"' for label, value in labels.items())
                problems.append(f"{described} did not fire during outage {number}")
    return problems
