// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The children of a family in the order of the page, with their labels beside them, as snapshots share them.
struct SortedChildren: Sendable {
    let children: [Instrument]
    let series: SeriesList

    /// Of a family of state sets, which state each series is; empty for all others.
    private let states: [Int]

    /// - Parameter constants: The labels that every series of the registry has on its pages.
    init(_ unsorted: [Instrument], _ definition: MetricDefinition, _ constants: LabelSet) {
        if definition.storage == .stateSet {
            self.init(statesOf: unsorted, definition, constants)
        } else {
            self.init(sorting: unsorted, constants)
        }
    }

    private init(sorting unsorted: [Instrument], _ constants: LabelSet) {
        states = []
        // What stands before all of them does not change their order.
        children = unsorted.sorted { $0.labels < $1.labels }
        let labels = constants.isEmpty ? children.map(\.labels) : children.map { constants.appending($0.labels) }
        series = SeriesList(labels, created: children.map(\.created))
    }

    /// A series for each state of each child; the children stand as often as they have states.
    private init(statesOf sets: [Instrument], _ definition: MetricDefinition, _ constants: LabelSet) {
        var rows: [(child: Instrument, state: Int, labels: LabelSet)] = []
        let label = LabelTemplate(names: [definition.name])
        for child in sets {
            // All children of a family of state sets are state instruments.
            for (state, name) in unsafeDowncast(child, to: StateInstrument.self).layout.names.enumerated() {
                let own = child.labels.appending(LabelSet(template: label, values: [name]))
                rows.append((child, state, constants.appending(own)))
            }
        }
        rows.sort { $0.labels < $1.labels }
        children = rows.map(\.child)
        states = rows.map(\.state)
        series = SeriesList(rows.map(\.labels), created: rows.map(\.child.created))
    }

    /// The exemplars of all series.
    var exemplars: [ExemplarEntry] {
        children.enumerated().flatMap { position, child in
            child.exemplars.read().map { ExemplarEntry(series: position, bucket: $0.bucket, exemplar: $0.exemplar) }
        }
    }

    /// Reads all values.
    ///
    /// The casts are not checked, here and in the samples: a family's `make` is chosen together with its value storage, in
    /// `Registry+Instruments.swift` and nowhere else.
    func read(_ definition: MetricDefinition, now: Double) -> Samples {
        let buckets = definition.buckets.upperBounds.count + 1
        return switch definition.storage {
        case .integerCounter:
            .integers(children.readEach(as: Counter.self) { $0.value })
        case .floatCounter:
            .numbers(children.readEach(as: FloatCounter.self) { $0.value })
        case .histogram:
            .histograms(HistogramSamples(children, buckets: buckets))
        case .exponential:
            .exponentials(ExponentialSamples(children, buckets: buckets, now: now))
        case .gauge, .information, .callback, .collected:
            .numbers(children.readEach(as: Gauge.self) { $0.value })
        case .stateSet:
            .numbers(readStates())
        }
    }

    /// The states of one child are read at once: in a snapshot something is in one state, not between two.
    private func readStates() -> [Double] {
        var known: [ObjectIdentifier: UInt64] = [:]
        return zip(children, states).map { child, state in
            let id = ObjectIdentifier(child)
            let bits = known[id] ?? unsafeDowncast(child, to: StateInstrument.self).bits.load(ordering: .relaxed)
            known[id] = bits
            return bits >> UInt64(state) & 1 == 1 ? 1 : 0
        }
    }
}

extension [Instrument] {
    /// Calls `read` with each instrument as what it is known to be.
    ///
    /// No reference is counted: the array holds them all meanwhile, and for ten thousand counters the counting took half
    /// of the time that it takes to read them.
    @inline(__always)
    func readEach<Child: Instrument, Value>(as type: Child.Type, _ read: (Child) -> Value) -> [Value] {
        withUnsafeBufferPointer { instruments in
            instruments.withMemoryRebound(to: Unmanaged<Child>.self) { children in
                children.map { $0._withUnsafeGuaranteedRef(read) }
            }
        }
    }
}
