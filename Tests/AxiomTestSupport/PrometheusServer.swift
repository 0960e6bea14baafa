// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A real Prometheus server at a free port of this machine, with its own temporary folder.
public final class PrometheusServer: Sendable {
    /// The address of the server, without a slash at its end.
    public let url: String
    /// The version in its build information.
    public let version: PrometheusVersion
    private let program: RunningProgram
    private let folder: URL

    /// Starts the server and waits until it is ready.
    ///
    /// - Parameters:
    ///   - configuration: The text of its configuration file. Its part `global: {`, or the comment of the sample
    ///     configuration, gets native histograms from version 3.8 on if the features have them.
    ///   - features: The values of `--enable-feature`.
    ///   - options: Further options of the command.
    ///   - port: Where it listens; 0 for a free port.
    ///   - files: Other files, such as rules and targets, by their path relative to the configuration.
    /// - Throws: ``ExternalTool/Missing``, or the error that prevents the server from becoming ready.
    public init(
        configuration: String,
        features: [String] = [],
        options: [String] = [],
        port: Int = 0,
        files: [String: String] = [:]
    ) async throws {
        version = try await PrometheusVersion.installed()
        folder = FileManager.default.temporaryDirectory.appending(path: "axiom-prometheus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "prometheus.yml")
        let isNative = features.contains("native-histograms") && version >= .nativeByConfiguration
        let text =
            !isNative
            ? configuration
            : configuration.replacing("# scrape_native_histograms: true", with: "scrape_native_histograms: true")
                .replacing("global: {", with: "global: {scrape_native_histograms: true, ", maxReplacements: 1)
        for (path, text) in files.merging(["prometheus.yml": text], uniquingKeysWith: { $1 }) {
            let target = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try text.write(to: target, atomically: true, encoding: .utf8)
        }
        program = try ExternalTool.prometheus.start(
            [
                "--config.file=\(file.path)", "--storage.tsdb.path=\(folder.appending(path: "data").path)",
                "--web.listen-address=127.0.0.1:\(port)", "--log.level=info",
            ] + (features.isEmpty ? [] : ["--enable-feature=\(features.joined(separator: ","))"]) + options
        )
        // It listens at a free port, and logs it: level=info msg="Listening on" address=127.0.0.1:43021
        let address = try await program.firstLine("its address") { line in
            line.firstMatch(of: /msg="Listening on".*?address=(\S+)/).map { String($0.1) }
        }
        url = "http://\(address)"
        try await Loopback.wait(for: "Prometheus") { [url] in
            try await Loopback.text("\(url)/-/ready").contains("Ready")
        }
    }

    deinit {
        program.signal(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Kills the server and waits for its end. Its data is lost with this object.
    public func kill() async {
        program.signal(SIGKILL)
        _ = await program.exitCode()
    }

    /// The health and the last error of each job's target.
    public func targets() async throws -> [String: (health: String, error: String)] {
        let active = try await data("targets", [:]) as? [String: Any]
        let targets = active?["activeTargets"] as? [[String: Any]] ?? []
        return Dictionary(
            targets.map { target in
                let job = (target["labels"] as? [String: String])?["job"] ?? ""
                return (job, (target["health"] as? String ?? "", target["lastError"] as? String ?? ""))
            },
            uniquingKeysWith: { $1 }
        )
    }

    /// A series in the result of an instant query.
    public struct Sample: Sendable {
        /// The labels; the name of the series is the label `__name__`.
        public let labels: [String: String]
        /// The value at the time of the query; the number of observations of a native histogram.
        public let value: Double
    }

    /// The value of the first series in the result of an instant query; nil if there is no series yet.
    public func value(of query: String) async throws -> Double? {
        try await samples(of: query).first?.value
    }

    /// All series in the result of an instant query.
    ///
    /// - Parameter time: The time of the query, in seconds since 1970; nil for now.
    public func samples(of query: String, at time: Double? = nil) async throws -> [Sample] {
        let when = time.map { ["time": "\($0)"] } ?? [:]
        let answer = try await data("query", when.merging(["query": query], uniquingKeysWith: { $1 })) as? [String: Any]
        let series = answer?["result"] as? [[String: Any]] ?? []
        return series.compactMap { series in
            let histogram = (series["histogram"] as? [Any])?.last as? [String: Any]
            let value = ((series["value"] as? [Any])?.last ?? histogram?["count"]).flatMap { Self.number("\($0)") }
            return value.map { Sample(labels: series["metric"] as? [String: String] ?? [:], value: $0) }
        }
    }

    /// Prometheus writes infinities with a sign.
    private static func number(_ text: String) -> Double? {
        Double(text.replacing("Inf", with: "infinity"))
    }

    /// The labels and the values of the exemplars of the series that a query selects.
    public func exemplars(of query: String) async throws -> [(labels: [String: String], value: Double)] {
        let now = Date().timeIntervalSince1970
        let range = ["query": query, "start": "\(now - 3_600)", "end": "\(now + 60)"]
        let series = try await data("query_exemplars", range) as? [[String: Any]] ?? []
        return series.flatMap { $0["exemplars"] as? [[String: Any]] ?? [] }.map {
            ($0["labels"] as? [String: String] ?? [:], ($0["value"] as? String).flatMap(Double.init) ?? .nan)
        }
    }

    private func data(_ endpoint: String, _ parameters: [String: String]) async throws -> Any? {
        var components = URLComponents(string: "\(url)/api/v1/\(endpoint)")
        components?.queryItems = parameters.map { URLQueryItem(name: $0.key, value: $0.value) }
        // URLComponents does not escape the plus sign, and a server reads a plus sign as a blank.
        let address = (components?.string ?? "").replacing("+", with: "%2B")
        let root = try JSONSerialization.jsonObject(with: try await Loopback.get(address)) as? [String: Any]
        return root?["data"]
    }
}
