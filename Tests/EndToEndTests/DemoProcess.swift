// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// A running demo: the program, as its users start it.
final class DemoProcess: Sendable {
    /// The address of the exporter: `http://127.0.0.1:<port>`, or with https.
    let exporter: String
    /// The address of the shop's server.
    let upstream: String
    let program: RunningProgram

    /// Starts the demo at free ports and waits until it serves.
    ///
    /// - Parameters:
    ///   - name: The program: `shop-oracle` is the demo with a ledger.
    ///   - limit: The option of `ulimit` under which it runs, such as `-Sn 1024`; nil for the limits of the tests.
    init(_ arguments: [String], _ name: String = "axiom-demo", limit: String? = nil) async throws {
        let path = try BuildFolder().url.appending(path: name).path
        // On a machine under load, a step may be slow without being stuck.
        let all = ["--port", "0"] + arguments
        if let limit {
            program = try RunningProgram("/bin/sh", ["-c", "ulimit \(limit) && exec \"$0\" \"$@\"", path] + all)
        } else {
            program = try RunningProgram(path, all)
        }
        exporter = try await Self.address("metrics:", program)
        upstream = try await Self.address("upstream:", program)
    }

    deinit {
        program.signal(SIGKILL)
    }

    /// Starts the demo with a ledger.
    static func counted(_ arguments: [String]) async throws -> DemoProcess {
        try await DemoProcess(arguments, "shop-oracle")
    }

    /// The metrics page, as the reference parser reads it.
    func scrape() async throws -> MetricTotals {
        MetricTotals(try await PrometheusText.read(try await Loopback.text("\(exporter)/metrics")))
    }

    /// The present ledger, of a demo that has one.
    func ledger() async throws -> DemoLedger {
        try JSONDecoder().decode(DemoLedger.self, from: try await Loopback.get("\(upstream)/ledger"))
    }

    /// Waits for the summary of the load. The counts do not change after it.
    func loadEnded() async throws {
        try await program.firstLine("its summary") { $0.contains(" actions; ") ? () : nil }
    }

    private static func address(_ what: String, _ program: RunningProgram) async throws -> String {
        try await program.firstLine(what) { line in
            guard line.hasPrefix(what) else { return nil }
            return line.firstMatch(of: /https?:\/\/127\.0\.0\.1:\d+/).map { String($0.0) }
        }
    }
}

/// The ledger of the demo, which counts without Axiom's metrics.
struct DemoLedger: Decodable {
    struct Upstream: Decodable {
        let requests: Double
        let stormyRequests: Double
        let faults: Double

        enum CodingKeys: String, CodingKey {
            case requests, faults
            case stormyRequests = "stormy_requests"
        }
    }

    struct Rejections: Decodable {
        let shown: Double
        let recovered: Double
        let cancelled: Double
    }

    struct Orders: Decodable {
        let placed: Double
        let received: Double
        let applied: Double
        let repeated: Double
        let doubled: Double
        let rekeyed: Double
        let waiting: Double
    }

    struct Presence: Decodable {
        let created: Double
        let alive: Double
    }

    struct InFlight: Decodable {
        let clients: [String: Double]
        let contexts: [String: Double]
        let faults: Double
    }

    /// By name, then by outcome.
    let clients: [String: [String: Double]]
    let contexts: [String: [String: Double]]
    let created: [String: Double]
    let alive: [String: Double]
    let upstream: Upstream
    let errors: Double
    let recovered: Double
    let cancelled: Double
    let rejections: Rejections
    let orders: Orders
    let inFlight: InFlight
    /// Clients and capabilities.
    let singletons: [String: Presence]

    enum CodingKeys: String, CodingKey {
        case clients, contexts, created, alive, upstream, errors, recovered, cancelled, rejections, orders, singletons
        case inFlight = "in_flight"
    }

    /// Errors that ended at the boundaries of contexts.
    var ended: Double { errors + rejections.shown }

    /// Errors whose fate the ledger does not know yet: of requests with a fault, and of refused calls.
    var unsettled: Double {
        let refused = clients.values.reduce(0) { $0 + $1["rejected", default: 0] }
        return inFlight.faults + refused - rejections.shown - rejections.recovered - rejections.cancelled
    }

    /// The calls of a client that have begun.
    func calls(of client: String) -> Double { endedCalls(of: client) + inFlight.clients[client, default: 0] }

    /// The calls of a client that have ended.
    func endedCalls(of client: String) -> Double { clients[client, default: [:]].values.reduce(0, +) }
}

/// The samples of a metrics page, by name and labels.
struct MetricTotals {
    private struct Series: Hashable {
        let name: String
        let labels: [String: String]
    }

    /// The names of the families; those of counters without `_total`.
    let families: Set<String>
    /// How many samples repeat a series of the page.
    let repeated: Int
    private var values: [Series: Double] = [:]

    init(_ page: PrometheusText) {
        families = Set(page.families.map(\.name))
        let samples = page.families.flatMap(\.samples)
        for sample in samples { values[Series(name: sample.name, labels: sample.labels)] = sample.value }
        repeated = samples.count - values.count
    }

    /// The values that a label has in the series of this name.
    func values(of label: String, in name: String, where labels: [String: String] = [:]) -> Set<String> {
        let series = values.keys.filter { series in
            series.name == name && labels.allSatisfy { series.labels[$0.key] == $0.value }
        }
        return Set(series.compactMap { $0.labels[label] })
    }

    /// The sum of the series that have these labels, and perhaps others.
    func total(_ name: String, _ labels: [String: String] = [:]) -> Double {
        values.reduce(0) { total, entry in
            guard entry.key.name == name else { return total }
            return labels.allSatisfy { entry.key.labels[$0.key] == $0.value } ? total + entry.value : total
        }
    }
}
