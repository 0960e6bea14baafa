# SPDX-License-Identifier: Apache-2.0
"""The panels of caches."""

from panels import lines, row


def caches(scope):
    requests = "axiom_cache_requests_total"
    hits = scope.rate(requests, "cache", outcome="hit") / scope.rate(requests, "cache")
    return [
        row("Caches"),
        lines(
            "Hit ratio of caches",
            "Share of the requests that got a fresh value from the cache.",
            (hits, "{{cache}}"),
            width=6,
            least=0,
        ),
        lines(
            "Loads of caches",
            "How long requests took that found no fresh value: their own load, or their wait for that of another request.",
            (scope.quantile(0.99, "axiom_cache_load_seconds", "cache"), "{{cache}} p99"),
            width=6,
            log=True,
        ),
        lines(
            "Entries of caches",
            "Entries over all instances.",
            (scope.total("axiom_cache_entries", "cache"), "{{cache}}"),
            width=6,
            least=0,
        ),
        lines(
            "Evictions of caches",
            "Entries per second that were given up: the cache was full (capacity), the entry was too old (expired), or"
            " memory ran short (pressure).",
            (scope.rate("axiom_cache_evictions_total", "cache", "reason").above(0), "{{cache}}: {{reason}}"),
            width=6,
            least=0,
        ),
        lines(
            "Stampedes on caches",
            "Loads per second of keys that 10 or more callers missed at once and each loaded, and how often that happened. "
            "Calls of value(for:orLoad:) share one load.",
            (scope.rate("axiom_cache_stampede_loads_total", "cache").above(0), "{{cache}}: loads"),
            (scope.rate("axiom_cache_stampedes_total", "cache").above(0), "{{cache}}: stampedes"),
            least=0,
        ),
    ]
