// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import CAxiomCounters
import HashTreeCollections

/// A state of 100,000 entries in a persistent collection, of which an update changes one: its cost must not depend on
/// the number of entries.
enum LargeStateRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "state.large",
            statement: "an update of one of 100,000 entries < 1 ms, mean of 2,000",
            unit: "ms",
            limit: 1,
            measure: { await cost(entries: 100_000).milliseconds }
        ),
        .init(
            id: "state.large.time",
            statement: "an update of one of 100,000 entries takes < 5 times as long as of 1,000",
            unit: "times",
            limit: 5,
            measure: {
                let small = await cost(entries: 1_000)
                return await cost(entries: 100_000).milliseconds / small.milliseconds
            }
        ),
        .init(
            id: "state.large.bytes",
            statement: "an update of one of 100,000 entries allocates < 5 times the bytes of 1,000",
            unit: "times",
            limit: 5,
            measure: {
                let small = await cost(entries: 1_000)
                return await cost(entries: 100_000).bytes / small.bytes
            }
        ),
    ]

    private struct LargeState: OwnedState {
        var entries: TreeDictionary<Int, Int> = [:]
    }

    /// The mean cost of an update that a subscriber takes.
    private static func cost(entries count: Int) async -> (milliseconds: Double, bytes: Double) {
        let updates = 2_000
        let store = StateStore(LargeState(entries: TreeDictionary(uniqueKeysWithValues: (0..<count).map { ($0, 0) })))
        var subscriber = store.stream.makeAsyncIterator()
        _ = try? await subscriber.next()
        let (began, before) = (TimeSource.live.now, axiom_allocation_counts_now().bytes)
        for number in 1...updates {
            store.update { $0.entries[number &* 7_919 % count] = number }
            _ = try? await subscriber.next()
        }
        let bytes = Double(axiom_allocation_counts_now().bytes - before)
        let seconds = TimeSource.live.now.seconds(since: began)
        return (seconds * 1_000 / Double(updates), bytes / Double(updates))
    }
}
