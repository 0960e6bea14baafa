// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomResilience
import Foundation
import Testing

@testable import AxiomPush

@Suite("Labels that a destination adds to every series")
struct LabelConflictTests {
    private static func registry() throws -> Registry {
        let registry = Registry()
        let files = try registry.counters("backup_files_total", help: "F.", labels: Label<String>("kind"))
        files("new").increment(by: 3)
        try registry.gauge("backup_done", help: "D.").set(1)
        return registry
    }

    @Test("A Pushgateway's group with a label of a metric is an error that names both, before anything is sent")
    func pushgateway() async throws {
        // Nothing listens there.
        let gateway = try Pushgateway("http://127.0.0.1:1", job: "backup", grouping: ["kind": "full"])
        let snapshot = try Self.registry().collect()
        for push in [gateway.replace, gateway.add] {
            let error = await #expect(throws: PushError.self) { try await push(snapshot) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("backup_files_total") == true && error?.message.contains("kind") == true)
        }
        let target = PushTarget.pushgateway(gateway)
        let batch = try #require(target.destination.batches(of: snapshot, at: 1).first)
        let error = await #expect(throws: PushError.self) { _ = try await target.destination.send(batch) }
        #expect(error?.code == .rejected && error?.message.contains("backup_files_total") == true)
        #expect(error?.retryAdvice == .stop && batch.samples == 2)
    }

    @Test("Neither can it be the label job, which the group has in any case")
    func job() async throws {
        let registry = Registry()
        try registry.counters("runs_total", help: "R.", labels: Label<String>("job"))("a").increment()
        let gateway = try Pushgateway("http://127.0.0.1:1", job: "backup")
        let error = await #expect(throws: PushError.self) { try await gateway.replace(with: registry.collect()) }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("runs_total") == true)
    }

    @Test("A text file has its labels on every series, and leaves out what node_exporter has itself")
    func textfile() throws {
        let registry = try Self.registry()
        registry.register(ProcessCollector())
        try registry.histogram("wait_seconds", help: "W.", buckets: [1]).observe(0.5)
        let snapshot = registry.collect()
        func page(_ target: PushTarget) throws -> String {
            String(decoding: try #require(target.destination.batches(of: snapshot, at: 1).first).bytes, as: UTF8.self)
        }
        let labelled = try page(.textfile("/tmp/a.prom", labels: ["service": "shop", "zone": "a\"b"]))
        let labels = #"service="shop",zone="a\"b""#
        #expect(labelled.contains("backup_done{\(labels)} 1\n"))
        #expect(labelled.contains("backup_files_total{kind=\"new\",\(labels)} 3\n"))
        #expect(labelled.contains("wait_seconds_bucket{\(labels),le=\"1.0\"} 1\n"))
        #expect(labelled.contains("wait_seconds_count{\(labels)} 1\n"))
        #expect(!labelled.contains("process_"))
        #expect(try page(.textfile("/tmp/a.prom")).contains("backup_done 1\n"))
        let whole = try page(.textfile("/tmp/a.prom", labels: ["service": "shop"], includesProcess: true))
        #expect(whole.contains("process_open_fds{service=\"shop\"} "))
    }

    @Test("A label of a text file that is no name, is given twice, or is that of a metric, is refused with the remedy")
    func invalidTextfile() async throws {
        for labels: KeyValuePairs in [["1a": "b"], ["__a": "b"], ["le": "b"], ["quantile": "1"], ["a": "b", "a": "c"]] {
            let error = #expect(throws: PushError.self) { _ = try PushTarget.textfile("/tmp/a.prom", labels: labels) }
            #expect(error?.code == .invalidConfiguration && error?.message.contains("/tmp/a.prom") == true)
        }
        let target = try PushTarget.textfile("/tmp/axiom-conflict.prom", labels: ["kind": "x"])
        let batch = try #require(target.destination.batches(of: try Self.registry().collect(), at: 1).first)
        let error = await #expect(throws: PushError.self) { _ = try await target.destination.send(batch) }
        #expect(error?.code == .rejected && error?.message.contains("backup_files_total") == true)
        #expect(!FileManager.default.fileExists(atPath: "/tmp/axiom-conflict.prom"))
    }

    @Test("An external label of remote write cannot be one of histograms")
    func remoteWrite() {
        let error = #expect(throws: PushError.self) {
            _ = try PushTarget.remoteWrite("http://127.0.0.1:1", externalLabels: ["le": "1"])
        }
        #expect(error?.message.contains("choose another name") == true)
    }
}
