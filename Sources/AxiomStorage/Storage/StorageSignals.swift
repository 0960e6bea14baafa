// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The operations of a storage, as labels.
enum StorageOperation: String, Sendable, CaseIterable {
    case open
    case load
    case list
    /// A transaction, of one change or several.
    case write
}

/// The signals of one storage, bound once.
struct StorageSignals: Sendable {
    static let operations = SignalFamily(
        "axiom_storage_operations_total",
        .counter,
        help: "Operations of a storage, by outcome. An open that had to set a damaged database aside is set_aside.",
        labels: ["store", "operation", "outcome"]
    )
    static let duration = SignalFamily(
        "axiom_storage_operation_duration_seconds",
        .seconds,
        help: "Duration of the operations of a storage, with the wait for its thread.",
        labels: ["store", "operation"]
    )
    static let bytes = SignalFamily(
        "axiom_storage_bytes",
        .gauge,
        help: "Size of the files of a storage, or of its database without its log.",
        labels: ["store"]
    )

    enum Outcome: String, Sendable, CaseIterable {
        case success
        case failure
        case setAside = "set_aside"
    }

    private struct Pair: Hashable {
        let operation: StorageOperation
        let outcome: Outcome
    }

    private let counts: [Pair: any Signal]
    private let durations: [StorageOperation: any Signal]
    private let size: (any Signal)?

    /// Binds the signals of a store, and sets the counters to 0. Without an observer nothing is bound.
    init(_ store: String, _ identity: ComponentIdentity) {
        var counts: [Pair: any Signal] = [:]
        var durations: [StorageOperation: any Signal] = [:]
        for operation in StorageOperation.allCases {
            for outcome in Outcome.allCases where outcome != .setAside || operation == .open {
                let values = [store, operation.rawValue, outcome.rawValue]
                counts[Pair(operation: operation, outcome: outcome)] = identity.signal(Self.operations, values)
            }
            durations[operation] = identity.signal(Self.duration, [store, operation.rawValue])
        }
        for signal in counts.values { signal.add(0) }
        (self.counts, self.durations) = (counts, durations)
        size = identity.signal(Self.bytes, [store])
    }

    func ended(_ operation: StorageOperation, _ outcome: Outcome, since start: Instant, at end: Instant) {
        counts[Pair(operation: operation, outcome: outcome)]?.add(1)
        durations[operation]?.observe(nanoseconds: end.nanoseconds(since: start))
    }

    func hold(bytes: Int) { size?.set(Double(bytes)) }
}
