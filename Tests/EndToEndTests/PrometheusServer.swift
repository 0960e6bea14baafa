// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

/// A real Prometheus server that scrapes one target, under the sample configuration of `Dashboards/prometheus`.
final class PrometheusServer: Sendable {
    let url: String
    private let program: RunningProgram
    private let folder: URL

    /// Starts the server and waits until it is ready.
    init(target: String) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "axiom-prometheus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let configuration = folder.appending(path: "prometheus.yml")
        try Self.sampleConfiguration(target: target).write(to: configuration, atomically: true, encoding: .utf8)
        program = try ExternalTool.prometheus.start(
            [
                "--config.file=\(configuration.path)", "--storage.tsdb.path=\(folder.appending(path: "data").path)",
                "--web.listen-address=127.0.0.1:0", "--log.level=info",
            ]
        )
        // It listens at a free port and tells which: level=info msg="Listening on" address=127.0.0.1:43021
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

    /// The number that an instant query answers; nil when there is no series yet.
    func value(of query: String) async throws -> Double? {
        var components = URLComponents(string: "\(url)/api/v1/query")
        components?.queryItems = [URLQueryItem(name: "query", value: query)]
        // URLComponents leaves the plus sign alone, which a server takes for a blank.
        let address = (components?.string ?? "").replacing("+", with: "%2B")
        let data = try await Loopback.get(address)
        let root = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let series = (root?["data"] as? [String: Any])?["result"] as? [[String: Any]]
        let sample = series?.first?["value"] as? [Any]
        return (sample?.last as? String).flatMap(Double.init)
    }

    /// The sample configuration with another target, for the test's exporter listens at a free port.
    private static func sampleConfiguration(target: String) throws -> String {
        let file = Repository.root.appending(path: "Dashboards/prometheus/prometheus.yml")
        let sample = try String(contentsOf: file, encoding: .utf8)
        try #require(sample.contains("127.0.0.1:9464"))
        return sample.replacing("127.0.0.1:9464", with: target)
    }
}
