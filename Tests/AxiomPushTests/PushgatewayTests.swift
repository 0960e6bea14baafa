// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomPush
import AxiomResilience
import AxiomTestSupport
import Testing

@Suite(
    "A real Pushgateway",
    .enabled(if: ExternalTool.pushgateway.mayRun, Comment(rawValue: ExternalTool.pushgateway.installation))
)
struct PushgatewayTests {
    private static func makeRegistry() throws -> Registry {
        let registry = Registry()
        let files = try registry.counters("backup_files_total", help: "F.", labels: Label<String>("kind"))
        files("new").increment(by: 3)
        files("odd \"\\\n").increment(by: 4)
        try registry.gauge("backup_done", help: "D.").set(1)
        try registry.histogram("backup_seconds", help: "S.", buckets: [1, 2]).observe(1.5)
        return registry
    }

    /// The values of a family's samples that have these labels.
    private static func values(
        _ name: String,
        _ labels: [String: String],
        _ gateway: PushgatewayServer
    ) async throws
        -> [Double]
    {
        let families = try await PrometheusText.read(try await gateway.page()).families
        return families.flatMap(\.samples).filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] ?? "" == $0.value }
        }.map(\.value)
    }

    @Test(
        "PUT replaces a group, POST adds to it, DELETE removes it, in both formats and with any values of labels",
        .timeLimit(.minutes(10)),
        arguments: [Pushgateway.Format.text, .protobuf]
    )
    func methods(_ format: Pushgateway.Format) async throws {
        let server = try await PushgatewayServer()
        for value in ["db1", "", "/var/lib", "ü?#%+ \"", "=/=", ".", "..", "../..", "a/../b"] {
            let gateway = try Pushgateway(
                PushEndpoint(server.url),
                job: "back/up",
                grouping: ["instance": value, "shard": "1"],
                format: format
            )
            let labels = ["job": "back/up", "instance": value, "shard": "1"]
            try await gateway.replace(with: try Self.makeRegistry().collect())
            #expect(try await Self.values("backup_done", labels, server) == [1])
            let odd = labels.merging(["kind": "odd \"\\\n"]) { $1 }
            #expect(try await Self.values("backup_files_total", odd, server) == [4])
            #expect(try await Self.values("backup_seconds_sum", labels, server) == [1.5])

            let other = Registry()
            try other.gauge("backup_done", help: "D.").set(2)
            try await gateway.add(other.collect())
            #expect(try await Self.values("backup_done", labels, server) == [2])
            #expect(try await Self.values("backup_seconds_sum", labels, server) == [1.5])
            try await gateway.replace(with: other.collect())
            #expect(try await Self.values("backup_seconds_sum", labels, server) == [])
            try await gateway.delete()
            #expect(try await Self.values("backup_done", labels, server) == [])
            try await gateway.delete()
        }
    }

    @Test("Dot segments reach the group that they name, and no other", .timeLimit(.minutes(10)))
    func dotSegments() async throws {
        let server = try await PushgatewayServer()
        let registry = try Self.makeRegistry()
        let job = try Pushgateway(PushEndpoint(server.url), job: "backup")
        try await job.replace(with: registry.collect())
        let groups: [(String, KeyValuePairs<String, String>)] = [
            ("backup", ["instance": ".."]), ("..", ["instance": "."]),
        ]
        for (job, grouping) in groups {
            let gateway = try Pushgateway(PushEndpoint(server.url), job: job, grouping: grouping)
            try await gateway.replace(with: registry.collect())
            let labels = ["job": job, "instance": grouping[0].value]
            #expect(try await Self.values("backup_done", labels, server) == [1])
            try await gateway.delete()
            #expect(try await Self.values("backup_done", labels, server) == [])
        }
        #expect(try await Self.values("backup_done", ["job": "backup", "instance": ""], server) == [1])
    }

    @Test("A wrong path is an error with what to check, which is not retried", .timeLimit(.minutes(10)))
    func refused() async throws {
        let server = try await PushgatewayServer()
        let registry = try Self.makeRegistry()
        let gateway = try Pushgateway(PushEndpoint("\(server.url)/nowhere"), job: "a")
        let error = await #expect(throws: PushError.self) { try await gateway.replace(with: registry.collect()) }
        #expect(error?.code == .rejected && error?.status == 404)
        #expect(error?.message.contains("check the path") == true)
        #expect(error?.retryAdvice == .stop)
    }

    @Test("A pusher pushes at its start, after changes and at its end, and deletes its group if it shall")
    func pusher() async throws {
        let server = try await PushgatewayServer()
        for deletes in [false, true] {
            let registry = try Self.makeRegistry()
            let gateway = try Pushgateway(PushEndpoint(server.url), job: "service\(deletes)")
            let pusher = try Pusher(
                registry: registry,
                to: [.pushgateway(gateway, update: deletes ? .replace : .add, deletesAtEnd: deletes)]
            )
            let running = Task { try await pusher.run() }
            let labels = ["job": "service\(deletes)"]
            try await Loopback.wait(for: "the first push") {
                try await Self.values("backup_done", labels, server) == [1]
            }
            // The end would replace a push whose answer has not arrived, and count it as dropped.
            try await Loopback.wait(for: "the answer") {
                registry.collect().total("axiom_push_sent_samples_total") > 0
            }
            try registry.gauge("backup_done", help: "D.").set(5)
            running.cancel()
            try await running.value
            #expect(try await Self.values("backup_done", labels, server) == (deletes ? [] : [5]))
            let sent = registry.collect().total("axiom_push_sent_samples_total")
            #expect(sent > 0)
            #expect(registry.collect().total("axiom_push_dropped_samples_total") == 0)
        }
    }

    @Test(
        "A gateway that is killed and comes back empty gets the whole group again, and each page is sent, dropped or waits",
        .timeLimit(.minutes(10))
    )
    func restarted() async throws {
        var server = try await PushgatewayServer()
        let port = try #require(Int(server.url.split(separator: ":").last ?? ""))
        let (registry, messages) = (try Self.makeRegistry(), Messages())
        let rounds = try registry.counter("backup_rounds_total", help: "R.")
        let gateway = try Pushgateway(PushEndpoint(server.url), job: "backup", grouping: ["instance": "db1"])
        let pusher = try Pusher(
            registry: registry,
            to: [.pushgateway(gateway)],
            interval: .milliseconds(100),
            attempts: 1,
            onFailure: { messages.add($0) }
        )
        let running = Task { try await pusher.run() }
        let labels = ["job": "backup", "instance": "db1"]
        for round in 1...3 {
            try await Loopback.wait(for: "a push of round \(round)") {
                try await Self.values("backup_rounds_total", labels, server) == [Double(round - 1)]
            }
            let before = await pusher.pending["pushgateway"]?.totals.dropped[.superseded] ?? 0
            await server.kill()
            rounds.increment()
            // Three pages or more, of which only the latest is kept.
            try await Loopback.wait(for: "pages that newer ones replaced") {
                let dropped = await pusher.pending["pushgateway"]?.totals.dropped[.superseded] ?? 0
                return dropped > before + 20
            }
            // On a busy machine pages are replaced also while the first one is being sent.
            try await Loopback.wait(for: "the failure") { messages.all.count == 2 * round - 1 }
            // It keeps nothing on a disk.
            server = try await PushgatewayServer(port: port)
            try await Loopback.wait(for: "a push after the restart") {
                try await Self.values("backup_rounds_total", labels, server) == [Double(round)]
            }
            #expect(try await Self.values("backup_seconds_sum", labels, server) == [1.5])
            let odd = labels.merging(["kind": "odd \"\\\n"]) { $1 }
            #expect(try await Self.values("backup_files_total", odd, server) == [4])
            try await Loopback.wait(for: "the message") { messages.all.count == 2 * round }
        }
        rounds.increment()
        running.cancel()
        try await running.value
        #expect(try await Self.values("backup_rounds_total", labels, server) == [4])
        #expect(messages.all.enumerated().allSatisfy { $1.hasSuffix("pushes succeed again") == ($0 % 2 == 1) })
        let queue = try #require(await pusher.pending["pushgateway"])
        let dropped = queue.totals.dropped.values.reduce(0, +)
        #expect(queue.isEmpty && queue.totals.appended == queue.totals.sent + dropped)
        #expect(registry.collect().total("axiom_push_dropped_samples_total") == Double(dropped))
        #expect(registry.collect().total("axiom_push_sent_samples_total") == Double(queue.totals.sent))
        #expect(queue.totals.dropped[.refused] == nil && queue.totals.dropped[.shutdown] == nil)
    }
}
