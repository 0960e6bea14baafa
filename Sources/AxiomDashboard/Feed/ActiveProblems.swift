// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// What the first line of the page says, as a metric: a series of `axiom_problem_active` for each problem that lasts and
/// that follows from no other one, and for what grows or hangs without end. An alert can name the cause with it.
final class ActiveProblems: Collector {
    /// The labels of a problem. There are at most ``ProblemLog/capacity`` at a time; the values come from the names of
    /// components, actions and budgets, and from the codes of the error monitor, which are bounded.
    struct Series: Hashable, Sendable {
        let kind: ProblemKind
        let component: String
        let cause: String
    }

    /// The worst level of each series.
    private let levels = Lock<[Series: ProblemLevel]>([:])

    /// Sets the problems of the present moment.
    func publish(_ moment: ObservedMoment, _ problems: [Problem]) {
        let causes = problems.lazy.filter { problem in
            let isHarm = problem.level != .observation || problem.kind == .growth || problem.trend == .hang
            return problem.cause == nil && isHarm
        }
        let pairs = causes.prefix(ProblemLog.capacity).map { problem in
            let component = problem.component.map(moment.components.name) ?? ""
            return (Series(kind: problem.kind, component: component, cause: problem.reason), problem.level)
        }
        levels.withLock { $0 = Dictionary(pairs, uniquingKeysWith: min) }
    }

    func collect() -> [CollectedFamily] {
        var family = CollectedFamily.gauge(
            "axiom_problem_active",
            help:
                "What the dashboard calls a problem now, and what grows or hangs, without what follows from another problem: "
                + "2 if it does harm, 1 if it may.",
            labels: "kind",
            "component",
            "cause"
        )
        for (series, level) in levels.withLock({ $0 }) {
            family.add(level == .bad ? 2 : 1, series.kind.rawValue, series.component, series.cause)
        }
        return [family]
    }
}
