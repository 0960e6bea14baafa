# SPDX-License-Identifier: Apache-2.0
"""The panels of what holds the main actor, and of what grows."""

from panels import SHOWN, by_instance, explained, linked, lines, row, table
from promql import Query


def main_actor():
    delay = "axiom_main_actor_delay_seconds"
    return [
        row("Main actor"),
        explained(
            by_instance(
                lines(
                    "Hangs of the main actor",
                    "How often the main actor ran no new job for 100 ms or more, per second. Sampled while an instance serves its"
                    " dashboard.",
                    (SHOWN.rate("axiom_main_actor_hangs_total", "instance"), "{{instance}}"),
                    width=8,
                    least=0,
                )
            ),
            "AxiomMainActorHeld",
        ),
        by_instance(
            lines(
                "Delay of the main actor",
                "Percentiles of the time until the main actor runs a new job, on a logarithmic axis. Sampled as the hangs are.",
                (SHOWN.quantile(0.5, delay, "instance"), "{{instance}} p50"),
                (SHOWN.quantile(0.99, delay, "instance"), "{{instance}} p99"),
                width=8,
                log=True,
            )
        ),
        _problems(
            "What holds the main actor",
            "The component and the action that the dashboard of an instance names now. Empty if it is free, or if the instance"
            " serves no dashboard.",
            "main_actor",
            width=8,
        ),
    ]


def growth():
    heap = SHOWN.series("process_heap_bytes")
    return [
        row("Growth"),
        by_instance(
            lines(
                "Allocated memory",
                "Memory that is allocated and not freed. The ten instances with the most.",
                (SHOWN.total("process_heap_bytes", "instance").largest(10), "{{instance}}"),
                least=0,
            )
        ),
        by_instance(
            lines(
                "Growth of allocated memory",
                "The slope of allocated memory over an hour, per second: above 0 for hours is a leak. The ten instances with the"
                " greatest.",
                (Query(f"topk(10, sum by (instance) (deriv({heap}[1h])))", "Bps"), "{{instance}}"),
            )
        ),
        linked(
            lines(
                "Live components by name",
                "Components that were created and have not ended. The ten with the most.",
                (SHOWN.total("axiom_component_live", "component").largest(10), "{{component}}"),
                width=8,
                least=0,
            ),
            "component",
        ),
        explained(
            linked(
                lines(
                    "Leak suspects by component",
                    "Instances of components that are still alive long after their presentation was unmounted.",
                    (SHOWN.total("axiom_component_leak_suspects", "component").above(0), "{{component}}"),
                    width=8,
                    least=0,
                ),
                "component",
            ),
            "AxiomComponentLeak",
        ),
        explained(
            lines(
                "Series of families",
                "The families of metrics that hold at least half of their limit of series, over all instances. The ten with the"
                " most.",
                (SHOWN.total("axiom_metrics_series", "family").largest(10), "{{family}}"),
                width=8,
                least=0,
            ),
            "AxiomSeriesLimitReached",
        ),
        _problems(
            "What grows",
            "The component that the dashboard of an instance says to grow now. Empty if none does, or if the instance serves no"
            " dashboard.",
            "growth",
            width=24,
        ),
    ]


def _problems(title, description, kind, **size):
    return explained(
        table(
            title,
            description,
            SHOWN.largest("axiom_problem_active", "instance", "component", "cause", kind=kind),
            {"component": "Component", "cause": "Cause", "instance": "Instance", "Value": "Level"},
            **size,
        ),
        "AxiomProblem",
    )
