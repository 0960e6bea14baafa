// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// One observation as an example: its labels identify a trace or a log line.
package struct Exemplar: Hashable, Sendable {
    /// The most characters of all names and values together, the limit of OpenMetrics 1.0.
    package static let maximumLength = 128

    /// Labels that identify the observation, such as `trace_id`. At most 128 characters in names and values together.
    package let labels: LabelSet
    /// The observed value, or the increment of a counter.
    package let value: Double
    /// The time of the observation, in seconds since 1970.
    package let timestamp: Double

    /// Creates an exemplar; nil if the labels have more than 128 characters, an invalid name, or a name twice.
    package init?(_ labels: KeyValuePairs<String, String>, value: Double, timestamp: Double) {
        let names = labels.map(\.key)
        let length = labels.reduce(0) { $0 + $1.key.unicodeScalars.count + $1.value.unicodeScalars.count }
        guard length <= Self.maximumLength, Set(names).count == names.count, names.allSatisfy(NameRules.isIdentifier)
        else { return nil }
        self.labels = LabelSet(template: LabelTemplate(names: names), values: labels.map(\.value))
        self.value = value
        self.timestamp = timestamp
    }

    init(labels: LabelSet, value: Double, timestamp: Double) {
        (self.labels, self.value, self.timestamp) = (labels, value, timestamp)
    }
}

/// An exemplar and its position. Entries are in ascending order of series and bucket.
struct ExemplarEntry: Sendable {
    /// The index of the series in its family's snapshot.
    let series: Int
    /// The index of the classic bucket; 0 for counters. An exponential histogram without classic buckets has at most 16
    /// exemplars, numbered by ``ExponentialHistogram/exemplarSlot(of:)``: OpenMetrics 2.0 and protocol buffers show all
    /// of them, a line of OpenMetrics 1.0 shows the latest.
    let bucket: Int
    let exemplar: Exemplar
}

/// An instrument's exemplars, at most one per bucket. Memory is allocated for the first one.
struct ExemplarSlot: ~Copyable {
    private final class Store: Sendable {
        /// The last exemplar of each bucket. Guarded by its lock.
        let byBucket = Lock<[Int: Exemplar]>([:])
    }

    /// Nil until the first exemplar; set once, by the thread that wins the exchange. Released in `deinit`.
    private let store = Atomic<Unmanaged<Store>?>(nil)

    deinit {
        store.load(ordering: .acquiring)?.release()
    }

    /// Replaces the exemplar of a bucket.
    func record(_ exemplar: Exemplar, bucket: Int) {
        present().byBucket.withLock { $0[bucket] = exemplar }
    }

    /// The exemplars in the order of their buckets.
    func read() -> [(bucket: Int, exemplar: Exemplar)] {
        guard let store = store.load(ordering: .acquiring)?.takeUnretainedValue() else { return [] }
        return store.byBucket.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.0 < $1.0 }
    }

    private func present() -> Store {
        if let present = store.load(ordering: .acquiring) { return present.takeUnretainedValue() }
        let fresh = Unmanaged.passRetained(Store())
        let (exchanged, original) = store.compareExchange(
            expected: nil,
            desired: fresh,
            ordering: .acquiringAndReleasing
        )
        if !exchanged { fresh.release() }
        return (exchanged ? fresh : original ?? fresh).takeUnretainedValue()
    }
}

/// Finds exemplars when a page is made, so that recording an observation costs nothing for them.
package protocol ExemplarSource: Sendable {
    /// The exemplars at this moment. Called for each collection with exemplars, on the collecting thread. It must not
    /// wait.
    func findExemplars() -> FoundExemplars
}

/// Exemplars that a source found, by histogram.
package struct FoundExemplars: Sendable {
    package static let none = FoundExemplars()

    /// The source retains the histograms, so that an identifier is not used again while the exemplars are in use.
    private var byHistogram: [ObjectIdentifier: [Int: Exemplar]] = [:]

    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { byHistogram.isEmpty }

    /// Adds an exemplar to the bucket of its value, in place of another one.
    package mutating func add(_ exemplar: Exemplar, to histogram: ExponentialHistogram) {
        byHistogram[ObjectIdentifier(histogram), default: [:]][histogram.exemplarBucket(of: exemplar.value)] = exemplar
    }

    package func count(of instrument: Instrument) -> Int { self[instrument].count }

    /// The exemplars of an instrument, by bucket.
    subscript(instrument: Instrument) -> [Int: Exemplar] {
        byHistogram[ObjectIdentifier(instrument)] ?? [:]
    }
}
