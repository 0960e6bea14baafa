// SPDX-License-Identifier: Apache-2.0

/// Finds exemplars when a page is made, so that recording an observation costs nothing for them.
package protocol ExemplarSource: Sendable {
    /// The exemplars at this moment. Called for each collection with exemplars, on the collecting thread. It must not
    /// wait.
    func findExemplars() -> FoundExemplars
}

/// Exemplars that a source found, by histogram.
package struct FoundExemplars: Sendable {
    /// No exemplars.
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

    /// The number of exemplars of an instrument.
    package func count(of instrument: Instrument) -> Int { self[instrument].count }

    /// The exemplars of an instrument, by bucket.
    subscript(instrument: Instrument) -> [Int: Exemplar] {
        byHistogram[ObjectIdentifier(instrument)] ?? [:]
    }
}
