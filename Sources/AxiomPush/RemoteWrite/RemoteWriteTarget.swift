// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

extension PushTarget {
    /// How remote write sends exponential histograms. More may be added.
    public struct HistogramForm: Hashable, Sendable {
        private let name: String

        /// Their classic buckets, `_sum` and `_count`; without classic buckets only the bucket `+Inf`. Every receiver takes
        /// them.
        public static let classic = HistogramForm(name: "classic")
        /// As native histograms. Prometheus 3.8 and later takes them always. 2.40 to 3.7 take them with
        /// `--enable-feature=native-histograms`, and answer 500 without it.
        public static let native = HistogramForm(name: "native")
        /// Both.
        public static let both = HistogramForm(name: "both")
    }

    /// The version of remote write. More may be added.
    public struct RemoteWriteVersion: Hashable, Sendable {
        private let name: String

        /// Remote write 1.0, which every receiver takes: labels, samples, exemplars and native histograms.
        public static let v1 = RemoteWriteVersion(name: "1.0")
        /// Remote write 2.0 (2.0-rc.4), with type, help, unit and start time of each series, in fewer bytes before compression.
        ///
        /// Choose it for a receiver that uses these, such as Prometheus 2.54 and later, which reads start times since 3.8. The
        /// specification is a release candidate. A receiver that does not take 2.0 gets 1.0.
        public static let v2 = RemoteWriteVersion(name: "2.0")
    }

    /// A receiver of Prometheus remote write, such as a Prometheus with `--web.enable-remote-write-receiver`.
    ///
    /// A series that disappears gets a stale marker, and so does every series at the end.
    ///
    /// With ``RemoteWriteVersion/v2``, a request that the receiver does not take as 2.0 is sent again as 1.0, as is everything
    /// for an hour from then on: it answers 415, or it answers 2xx or 400 without the fields that tell what it wrote.
    /// If it answers 415 to 1.0, 2.0 is sent again.
    ///
    /// - Parameters:
    ///   - endpoint: The full URL, which often ends in `/api/v1/write`.
    ///   - externalLabels: Labels to add to every series that does not have them. Give `job` and `instance`: a server
    ///     adds them when it scrapes, and this process is not scraped.
    ///   - histograms: How exponential histograms are sent. Others are always sent with classic buckets.
    ///   - version: The version of remote write. Default: 1.0, because 2.0 is a release candidate.
    ///   - queueBytes: The most bytes of compressed requests that wait while the receiver is away, 1...2^30. Default: 16 MiB.
    ///     The oldest are dropped first.
    ///   - samplesPerRequest: The most samples of one request, 1...100,000. Default: 2,000, as in Prometheus.
    ///   - name: The label `destination` of the metrics.
    ///   - clock: Measures the hour for which 1.0 is sent.
    /// - Throws: ``PushError`` if a value is invalid.
    public static func remoteWrite(
        _ endpoint: PushEndpoint,
        externalLabels: KeyValuePairs<String, String> = [:],
        histograms: HistogramForm = .classic,
        version: RemoteWriteVersion = .v1,
        queueBytes: Int = 16 << 20,
        samplesPerRequest: Int = 2_000,
        name: String = "remote_write",
        clock: TimeSource = .live
    ) throws(PushError) -> PushTarget {
        let url = try endpoint.validated()
        func require(_ isValid: Bool, _ problem: @autoclosure () -> String) throws(PushError) {
            if !isValid { throw PushError(.invalidConfiguration, "\(url): \(problem())") }
        }
        let problem = LabelName.problem(externalLabels.map(\.key))
        try require(problem == nil, problem ?? "")
        try require((1...(1 << 30)).contains(queueBytes), "queueBytes is \(queueBytes); it has to be in 1...2^30")
        try require(
            (1...100_000).contains(samplesPerRequest),
            "samplesPerRequest is \(samplesPerRequest); it has to be in 1...100,000"
        )
        let encoder = WriteRequestEncoder(
            external: externalLabels.map { (name: $0.key, value: $0.value) },
            form: histograms,
            version: version,
            samplesPerRequest: samplesPerRequest
        )
        return PushTarget(RemoteWriteDestination(name, endpoint, url, clock, bytes: queueBytes, encoder))
    }
}
