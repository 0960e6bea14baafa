// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
package import AxiomInstrumentation

// Each document reads the flight recorder when it is requested, and waits for no thread that records a span.
extension Dashboard {
    /// The latest activities that a query selects, in JSON. Cost: some milliseconds.
    package func activity(_ query: ActivityQuery) -> [UInt8] {
        documents.activity(query)
    }

    /// The roots of the kept traces, in JSON.
    package func traces() -> [UInt8] {
        documents.traces()
    }

    /// A trace with its log records, in JSON; nil if none of its spans is known.
    package func trace(_ id: TraceID) -> [UInt8]? {
        documents.trace(id)
    }

    /// The snapshot of version 2, in JSON: with the latest activities and the kept traces.
    package func exportedSnapshot() -> [UInt8] {
        let data = snapshot(with: documents.exportedLists())
        return state.withLock { $0.model.occurrences }?.adding(to: data) ?? data
    }

    private var documents: TraceDocuments {
        let grid = grid
        return TraceDocuments(readings: readings, instance: instance, grid: grid, now: grid.seconds(clock.now))
    }
}
