# SPDX-License-Identifier: Apache-2.0
"""When things happen during a run. All times are seconds since the start of the load."""

from dataclasses import dataclass

# Offsets of the wall clock from the true time, in seconds: each step is followed by one back to the true time.
CLOCK_STEPS = [3_600, -1_800, 172_800, -86_400, 60, -60]

MINUTE = 60.0


@dataclass(frozen=True)
class Outage:
    """The shop's server fails many of its requests during this time."""

    begin: float
    end: float


@dataclass(frozen=True)
class Event:
    """One disturbance."""

    at: float
    kind: str
    argument: object = None


class Schedule:
    """The disturbances of a run. The speed divides all times of the rules and of the schedule: a run of one minute at
    speed 20 has the disturbances of 20 minutes, and rules with windows of 15 seconds instead of 5 minutes."""

    def __init__(self, minutes, speed=1.0):
        self.seconds = minutes * MINUTE
        self.speed = speed
        self.outages = self._outages()

    def scaled(self, minutes):
        """The seconds that so many minutes of the rules take."""
        return minutes * MINUTE / self.speed

    def _outages(self):
        """Outages of 10 minutes, one in each 40: at the same place of each, so that the parts of a run that are compared
        with each other have equally many. A run that is too short for that has one, which leaves time for its alerts to
        begin and to end."""
        length, period = self.scaled(10), self.scaled(40)
        if self.seconds < period:
            begin = self.seconds / 4
            return [Outage(begin, min(begin + length, self.seconds / 2))]
        count = int(self.seconds // period)
        return [Outage(period * (index + 0.25), period * (index + 0.25) + length) for index in range(count)]

    def events(self):
        """All events, in their order."""
        events = [Event(outage.begin, "faults", "storm") for outage in self.outages]
        events += [Event(outage.end, "faults", "none") for outage in self.outages]
        events += [Event(at, "reload") for at in self._every(4)]
        for index, at in enumerate(self._every(7)):
            steps = CLOCK_STEPS[index // 2 % len(CLOCK_STEPS)] if index % 2 == 0 else 0
            events.append(Event(at, "clock", steps))
        for index, at in enumerate(self._every(11)):
            events.append(Event(at, "restart", "kill" if index % 2 else "end"))
        interval = self.reading_interval
        events += [Event(interval * index, "reading") for index in range(1, int(self.seconds / interval))]
        return sorted((event for event in events if event.at < self.seconds - 1), key=lambda event: event.at)

    @property
    def reading_interval(self):
        """120 readings in a run, but not more than one a second."""
        return max(1.0, self.seconds / 120)

    def _every(self, minutes):
        step = self.scaled(minutes)
        return [step * index for index in range(1, int(self.seconds / step) + 1)]
