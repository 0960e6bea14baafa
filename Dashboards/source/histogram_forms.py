# SPDX-License-Identifier: Apache-2.0
"""The forms in which a server stores a histogram, for the input series of `promtool test rules`.

The histograms of test cases have two kinds of observations: small ones, which are below all bounds, and large ones, which are
above all. A native histogram has the small ones in its bucket around 0, which is as wide as the lowest bound, and the large
ones in (16, 32]. So all values that rules compute are the same in each form, on each version of Prometheus.
"""

import re
from dataclasses import dataclass

_RUN = re.compile(r"(\d+)(?:\+(\d+))?x(\d+)")


@dataclass(frozen=True)
class Histogram:
    """How many small and how many large observations an instance makes a minute; each adds `size` to the sum."""

    name: str
    labels: str
    bounds: tuple
    small: int
    large: int
    size: int = 1


def classic(histogram, begin=0, end=None, minutes=30):
    """The classic series from one minute until another one, at which their markers say that they ended."""
    counts = {
        **{f"bucket{{{histogram.labels}, le=\"{bound}\"}}": histogram.small for bound in histogram.bounds},
        f'bucket{{{histogram.labels}, le="+Inf"}}': histogram.small + histogram.large,
        f"count{{{histogram.labels}}}": histogram.small + histogram.large,
        f"sum{{{histogram.labels}}}": (histogram.small + histogram.large) * histogram.size,
    }
    last = minutes if end is None else end - 1
    return {
        f"{histogram.name}_{series}": _from(begin, last, each, lambda at, each=each: each * at) for series, each in counts.items()
    }


def native(histogram, begin=0, end=None, minutes=30):
    """The native series."""

    def value(at):
        small, large = histogram.small * at, histogram.large * at
        return (
            f"{{{{schema:0 sum:{(small + large) * histogram.size} count:{small + large} z_bucket:{small}"
            f" z_bucket_w:{histogram.bounds[0]} offset:5 buckets:[{large}]}}}}"
        )

    last = minutes if end is None else end - 1
    return {f"{histogram.name}{{{histogram.labels}}}": _from(begin, last, value(1), value)}


def _from(begin, last, each, value):
    return (f"_x{begin} " if begin else "") + f"{value(begin)}+{each}x{last - begin}"


def stale(series):
    """The same series with a marker at their end: the server knew that they ended. A server that was restarted does not."""
    return {name: f"{values} stale" for name, values in series.items()}


# Each form of the histograms of the instances A and B. What is recorded at the minute 20 is the same in each.
FORMS = {
    "native": lambda each, is_first: native(each),
    "both": lambda each, is_first: classic(each) | native(each),
    "mixed": lambda each, is_first: classic(each) if is_first else native(each),
    "switched two minutes before": lambda each, is_first: stale(classic(each, end=18)) | native(each, begin=18),
    "switched two minutes before, by a restart": lambda each, is_first: classic(each, end=18) | native(each, begin=18),
    "both since two minutes": lambda each, is_first: classic(each) | native(each, begin=18),
    "classic dropped two minutes before": lambda each, is_first: stale(classic(each, end=18)) | native(each),
    "classic dropped two minutes before, by a restart": lambda each, is_first: classic(each, end=18) | native(each),
    "back to classic seven minutes before, by a restart": lambda each, is_first: classic(each, begin=13) | native(each, end=13),
}


def native_counts(series):
    """The input series with each `_count` as that of a native histogram."""
    return dict(_native_count(*each) if "_seconds_count{" in each[0] else each for each in series.items())


def _native_count(name, values):
    *first, last = values.split()
    # promtool 2.53 reads nothing after a run, so only the last one is a run.
    each = [_count(count) for run in first for count in _values(run)]
    return name.replace("_count{", "{"), " ".join([*each, _RUN.sub(_native_run, last)])


def _values(run):
    begin, step, times = (int(part or 0) for part in _RUN.fullmatch(run).groups())
    return range(begin, begin + step * (times + 1), step) if step else [begin] * (times + 1)


def _native_run(match):
    return _count(match[1]) + (f"+{_count(match[2])}" if match[2] else "") + f"x{match[3]}"


def _count(count):
    return f"{{{{schema:0 sum:{count} count:{count} buckets:[{count}]}}}}"
