// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Encodes snapshots as requests of remote write, and marks the ends of series that are no longer in a snapshot.
///
/// It remembers the labels of all series of the last snapshot.
struct WriteRequestEncoder: Sendable {
    let external: [(name: String, value: String)]
    let form: PushTarget.HistogramForm
    /// The most samples of one request.
    let samplesPerRequest: Int
    /// The series of the last snapshot.
    private var known: Set<SeriesLabels> = []

    init(external: [(name: String, value: String)], form: PushTarget.HistogramForm, samplesPerRequest: Int) {
        self.external = external
        self.form = form
        self.samplesPerRequest = samplesPerRequest
    }

    /// The requests for a snapshot.
    mutating func encode(_ snapshot: Snapshot, milliseconds: Int64) -> [PushBatch] {
        let writer = writer(milliseconds)
        var requests = RequestBuilder(samplesPerRequest)
        var present: Set<SeriesLabels> = Set(minimumCapacity: known.count)
        for family in snapshot.families {
            writer.write(family) { series in
                present.insert(series.labels)
                requests.add(series.message)
            }
        }
        for labels in known.subtracting(present) { requests.add(writer.end(of: labels).message) }
        known = present
        return requests.finish()
    }

    /// The requests that end all series.
    mutating func end(milliseconds: Int64) -> [PushBatch] {
        let writer = writer(milliseconds)
        var requests = RequestBuilder(samplesPerRequest)
        for labels in known { requests.add(writer.end(of: labels).message) }
        known = []
        return requests.finish()
    }

    private func writer(_ milliseconds: Int64) -> SeriesWriter {
        SeriesWriter(external: external, form: form, milliseconds: milliseconds)
    }
}

/// Divides series into requests, and compresses each.
private struct RequestBuilder: ~Copyable {
    private let limit: Int
    private var request = ExpositionBuffer()
    private var samples = 0
    private var done: [PushBatch] = []

    init(_ limit: Int) {
        self.limit = limit
    }

    /// Adds a `TimeSeries` with one sample.
    mutating func add(_ series: [UInt8]) {
        if samples == limit { close() }
        request.putField(1, bytes: series)
        samples += 1
    }

    mutating func finish() -> [PushBatch] {
        if samples > 0 { close() }
        return done
    }

    private mutating func close() {
        done.append(PushBatch(samples: samples, bytes: SnappyBlock.compress(request.bytes)))
        request = ExpositionBuffer()
        samples = 0
    }
}
