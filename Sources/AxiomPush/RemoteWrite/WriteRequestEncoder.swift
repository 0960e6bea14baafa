// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Encodes snapshots as requests of remote write, and marks the ends of series that are no longer in a snapshot.
///
/// It remembers the labels of all series of the last snapshot.
struct WriteRequestEncoder: Sendable {
    let external: [(name: String, value: String)]
    let form: PushTarget.HistogramForm
    let version: PushTarget.RemoteWriteVersion
    /// The most samples of one request.
    let samplesPerRequest: Int
    /// The series of the last snapshot.
    private var known: [SeriesLabels: SeriesOrigin] = [:]

    init(
        external: [(name: String, value: String)],
        form: PushTarget.HistogramForm,
        version: PushTarget.RemoteWriteVersion,
        samplesPerRequest: Int
    ) {
        self.external = external
        self.form = form
        self.version = version
        self.samplesPerRequest = samplesPerRequest
    }

    /// The requests for a snapshot; without families those that end all series.
    mutating func encode(_ families: [FamilySnapshot], milliseconds: Int64) -> [PushBatch] {
        var requests = RequestBuilder(version, samplesPerRequest)
        var present: [SeriesLabels: SeriesOrigin] = Dictionary(minimumCapacity: known.count)
        for family in families {
            RemoteSeries.forEach(of: family, at: milliseconds, external: external, form: form) { series in
                var series = series
                // Prometheus answers 400 to a request of 2.0 with exemplars that are older than the last one of their series.
                if version == .v2 { series.dropSentExemplars(known[series.labels]) }
                present[series.labels] = series.origin
                requests.add(series)
            }
        }
        for (labels, origin) in known where present[labels] == nil {
            requests.add(RemoteSeries(labels: labels, origin: origin, value: .end, milliseconds: milliseconds))
        }
        known = present
        return requests.finish()
    }
}

/// Divides series into requests, and compresses each.
private struct RequestBuilder: ~Copyable {
    private let version: PushTarget.RemoteWriteVersion
    private let limit: Int
    private var writer: TimeSeriesWriter
    private var series = ExpositionBuffer()
    private var samples = 0
    private var done: [PushBatch] = []

    init(_ version: PushTarget.RemoteWriteVersion, _ limit: Int) {
        self.version = version
        self.limit = limit
        writer = TimeSeriesWriter(version)
    }

    mutating func add(_ one: RemoteSeries) {
        if samples == limit { close() }
        writer.write(one, into: &series)
        samples += 1
    }

    mutating func finish() -> [PushBatch] {
        if samples > 0 { close() }
        return done
    }

    private mutating func close() {
        var request = ExpositionBuffer()
        for text in writer.symbols?.texts ?? [] { request.putField(4, bytes: text) }
        done.append(PushBatch(samples: samples, bytes: SnappyBlock.compress(request.bytes + series.bytes)))
        writer = TimeSeriesWriter(version)
        series.removeAll()
        samples = 0
    }
}
