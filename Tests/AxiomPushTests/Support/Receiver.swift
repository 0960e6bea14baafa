// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation

/// A server that decodes pushes with `opentelemetry-proto` and `protobuf` of PyPI: see `receiver.py`.
final class Receiver: Sendable {
    /// A request as the server saw it.
    struct Request: @unchecked Sendable {
        // Unchecked because JSON is untyped. Nothing changes it.
        let json: [String: Any]

        var method: String { json["method"] as? String ?? "" }
        var path: String { json["path"] as? String ?? "" }
        var headers: [String: String] { json["headers"] as? [String: String] ?? [:] }
        /// The series of a request of remote write.
        var series: [Series] { (json["series"] as? [[String: Any]] ?? []).map(Series.init) }

        /// What the specification of remote write forbids in the request.
        var problems: [String] { json["problems"] as? [String] ?? ["it was not decoded"] }
        /// The version of remote write.
        var version: String? { header("X-Prometheus-Remote-Write-Version") }

        /// The value at a path of keys and indices, such as `"otlp", "resourceMetrics", 0`.
        subscript(path: Any...) -> Any? {
            path.reduce(json as Any?) { value, step in
                if let key = step as? String { return (value as? [String: Any])?[key] }
                guard let list = value as? [Any], let index = step as? Int, list.indices.contains(index) else {
                    return nil
                }
                return list[index]
            }
        }

        func header(_ name: String) -> String? {
            headers.first { $0.key.lowercased() == name.lowercased() }?.value
        }
    }

    /// A series of remote write.
    struct Series: @unchecked Sendable {
        let json: [String: Any]

        var names: [String] { json["names"] as? [String] ?? [] }
        var labels: [String: String] { json["labels"] as? [String: String] ?? [:] }
        var name: String { labels["__name__"] ?? "" }
        var value: Double { ((json["values"] as? [Any])?.first as? NSNumber)?.doubleValue ?? .nan }
        var bits: String { (json["bits"] as? [String])?.first ?? "" }
        var time: Int64 { ((json["times"] as? [Any])?.first as? NSNumber)?.int64Value ?? 0 }
        var exemplars: [[String: Any]] { json["exemplars"] as? [[String: Any]] ?? [] }
        var histogram: [String: Any]? { (json["histograms"] as? [[String: Any]])?.first }
        /// Type, help and unit, in 2.0.
        var metadata: [String] { ["type", "help", "unit"].compactMap { json[$0] as? String } }
        /// When it began to count, in milliseconds since 1970, in 2.0; 0 if that is not known.
        var start: Int64 { (json["start"] as? NSNumber)?.int64Value ?? 0 }
        var isStale: Bool { bits == "7ff0000000000002" }
    }

    let port: Int
    private let program: RunningProgram
    private let scheme: String

    /// Starts the server.
    ///
    /// - Parameter old: The server is one of remote write 1.0: it answers to `/write2` as to this path.
    init(port: Int = 0, tls files: [String] = [], old: String? = nil) async throws {
        let script = Repository.root.appending(path: "Tests/AxiomPushTests/Support/receiver.py").path
        let port = old.map { "\(port)=\($0)" } ?? "\(port)"
        program = try ExternalTool.telemetryPython.start([script, port] + files)
        scheme = files.isEmpty ? "http" : "https"
        self.port = try await program.firstLine("its port") { line in Receiver.object(line)?["port"] as? Int }
    }

    deinit {
        program.signal(SIGKILL)
    }

    /// Ends the server.
    func kill() async {
        program.signal(SIGKILL)
        _ = await program.exitCode()
    }

    func url(_ path: String, host: String = "127.0.0.1") -> String { "\(scheme)://\(host):\(port)\(path)" }

    /// The next request.
    func request() async throws -> Request {
        try await program.firstLine("a request") { line in Self.object(line).map(Request.init) }
    }

    /// The next request that fulfils a condition.
    func request(where matches: @Sendable (Request) -> Bool) async throws -> Request {
        while true {
            let next = try await request()
            if matches(next) { return next }
        }
    }

    private static func object(_ line: String) -> [String: Any]? {
        try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
}

/// Messages of failures.
final class Messages: Sendable {
    /// Guarded by its lock.
    private let storage = Lock<[String]>([])

    var all: [String] { storage.withLock { $0 } }

    func add(_ message: String) {
        storage.withLock { $0.append(message) }
    }
}
