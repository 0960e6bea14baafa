// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

extension DashboardModel {
    /// How many are told: the slowest of all, and then of each component so that none is hidden by another.
    private static let slowestLimit = 40

    /// The slowest actions of the last minutes. There is no trace of them: the framework makes none.
    mutating func slowestRows() -> [Row] {
        let slowest = Self.choose(telemetry?.slowest ?? [], Self.slowestLimit)
        ids.slowest.keep(slowest)
        return slowest.map { slow in
            Row(
                id: ids.slowest.id(slow),
                values: [
                    .component(components.id(named: slow.component.name)), .words(slow.action),
                    .measured(Double(slow.nanoseconds) / 1e9), .moment(grid.seconds(slow.time)),
                    .text(slow.outcome.rawValue), .none,
                ]
            )
        }
    }

    /// Half of the places go to the slowest of all; the others in turn to the slowest of each component, to the second
    /// of each, and so on.
    static func choose(_ all: [SlowAction], _ limit: Int) -> [SlowAction] {
        let sorted = Array(Set(all)).sorted { ($1.nanoseconds, $0.time) < ($0.nanoseconds, $1.time) }
        var taken: [ComponentDescriptor: Int] = [:]
        let ranked = sorted.map { slow in
            taken[slow.component, default: 0] += 1
            return (rank: taken[slow.component, default: 0], slow: slow)
        }
        let rest = ranked.dropFirst(limit / 2).sorted {
            ($0.rank, $1.slow.nanoseconds) < ($1.rank, $0.slow.nanoseconds)
        }
        return sorted.prefix(limit / 2) + rest.prefix(limit - limit / 2).map(\.slow)
    }
}
