// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush

@Suite(
    "The fall back from remote write 2.0",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
)
struct VersionFallbackTests {
    private static let interval = Duration.seconds(600)

    /// A pusher of ten counters and a native histogram, and what it reports.
    private struct Sender {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let registry: Registry
        let messages = Messages()
        let pusher: Pusher

        init(_ url: String) throws {
            registry = Registry(clock: .manual(time))
            let jobs = try registry.counters("jobs_total", help: "J.", labels: Label<Int>("n"))
            for number in 0..<10 { jobs(number).increment() }
            try registry.exponentialHistogram("size", help: "S.").observe(3)
            pusher = try Pusher(
                registry: registry,
                to: [
                    .remoteWrite(
                        PushEndpoint(url),
                        histograms: .native,
                        version: .v2,
                        samplesPerRequest: 5,
                        clock: .manual(time)
                    )
                ],
                interval: VersionFallbackTests.interval,
                attempts: 1,
                clock: .manual(time),
                onFailure: { [messages] in messages.add($0) }
            )
        }

        /// Waits until nothing is pending.
        func settle(_ what: String) async throws {
            await time.waitForSleepers(1)
            try await Loopback.wait(for: what) { await pusher.pending["remote_write"]?.isEmpty == true }
        }

        /// What was sent; what was appended has to be that and what was dropped.
        func sent(dropped: [DropReason: Int] = [:]) async throws -> Int {
            let totals = try #require(await pusher.pending["remote_write"]?.totals)
            #expect(totals.dropped == dropped && totals.appended == totals.sent + dropped.values.reduce(0, +))
            let snapshot = registry.collect()
            #expect(snapshot.total("axiom_push_sent_samples_total") == Double(totals.sent))
            #expect(snapshot.total("axiom_push_dropped_samples_total") == Double(totals.appended - totals.sent))
            return totals.sent
        }
    }

    /// Requests until as many samples of 1.0 or 2.0 have arrived.
    private func requests(_ receiver: Receiver, samples: Int) async throws -> [Receiver.Request] {
        var (requests, count): ([Receiver.Request], Int) = ([], 0)
        while count < samples {
            let request = try await receiver.request()
            requests.append(request)
            count += request.series.count
            if request["answer"] == nil { #expect(request.problems == []) }
        }
        return requests
    }

    @Test(
        "A receiver that does not take 2.0 gets every sample in 1.0, and one more request of 2.0 each hour",
        arguments: ["/write1", "/write1/400", "/write"]
    )
    func fallback(_ path: String) async throws {
        let receiver = try await Receiver()
        let sender = try Sender(receiver.url(path))
        let running = Task { try await sender.pusher.run() }
        for _ in 0..<9 {
            try await sender.settle("a push")
            sender.time.advance(by: Self.interval)
        }
        try await sender.settle("the last push")
        running.cancel()
        try await running.value
        let sent = try await sender.sent()
        let requests = try await requests(receiver, samples: sent)
        let refused = requests.filter { $0.version == "2.0.0" }
        // 90 minutes.
        #expect(refused.count == 2 && refused.allSatisfy(\.series.isEmpty))
        #expect(requests.filter { $0.version == "0.1.0" }.reduce(0) { $0 + $1.series.count } == sent)
        let jobs = requests.flatMap(\.series).filter { $0.name == "jobs_total" && !$0.isStale }
        #expect(Dictionary(grouping: jobs, by: \.time).values.allSatisfy { $0.count == 10 })
        let status = path == "/write1" ? "415" : path == "/write" ? "204" : "400"
        let message = try #require(sender.messages.all.first)
        #expect(sender.messages.all.count == 1 && message.contains("answered \(status)"), "\(sender.messages.all)")
        #expect(message.contains("gets remote write 1.0; 2.0 is tried again every hour"))
    }

    @Test("Batches of 2.0 that wait in the queue reach a receiver of 1.0", arguments: ["/write1", "/write"])
    func queued(_ path: String) async throws {
        var receiver = try await Receiver()
        let port = receiver.port
        let sender = try Sender(receiver.url("/write2"))
        let running = Task { try await sender.pusher.run() }
        try await sender.settle("the first push")
        let before = try await sender.sent()
        #expect(try await requests(receiver, samples: before).allSatisfy { $0.version == "2.0.0" })
        await receiver.kill()
        for push in 1...3 {
            sender.time.advance(by: Self.interval)
            await sender.time.waitForSleepers(1)
            try await Loopback.wait(for: "push \(push)") {
                await sender.pusher.pending["remote_write"].map { $0.samples > 20 * push && !$0.isSending } ?? false
            }
        }
        // The same URL is now one of a receiver of 1.0.
        receiver = try await Receiver(port: port, old: path)
        sender.time.advance(by: Self.interval)
        try await sender.settle("everything")
        let after = try await sender.sent() - before
        let found = try await requests(receiver, samples: after)
        #expect(found.count { $0.version == "2.0.0" } == 1)
        #expect(Set(found.flatMap(\.series).filter { $0.name == "jobs_total" }.map(\.time)).count == 4)
        running.cancel()
        try await running.value
        _ = try await sender.sent()
    }

    @Test("A receiver that is updated gets 2.0 after an hour")
    func updated() async throws {
        let receiver = try await Receiver()
        // The refused request and those of 1.0 of six pushes.
        let sender = try Sender(receiver.url("/updated/2/write2"))
        let running = Task { try await sender.pusher.run() }
        for _ in 0..<8 {
            try await sender.settle("a push")
            sender.time.advance(by: Self.interval)
        }
        try await sender.settle("the last push")
        running.cancel()
        try await running.value
        let requests = try await requests(receiver, samples: try await sender.sent())
        let versions = requests.map { $0.version == "2.0.0" ? 2 : 1 }
        #expect(versions.first == 2 && versions.count { $0 == 1 } > 6)
        let last = versions.lastIndex(of: 1) ?? 0
        #expect(versions[1...last].allSatisfy { $0 == 1 } && versions[(last + 1)...].count > 6)
        #expect(sender.messages.all.count == 1)
    }

    @Test(
        "What a receiver of 2.0 did not write is dropped, also after 2xx, and is not sent again",
        arguments: [(400, 3), (400, 0), (204, 3), (204, 0), (400, 5), (422, 1)]
    )
    func partial(_ status: Int, _ written: Int) async throws {
        let receiver = try await Receiver()
        let sender = try Sender(receiver.url("/write2/\(status)/\(written)"))
        let running = Task { try await sender.pusher.run() }
        try await sender.settle("the push")
        let totals = try #require(await sender.pusher.pending["remote_write"]?.totals)
        // All requests but the last one have five samples.
        let (full, rest) = totals.appended.quotientAndRemainder(dividingBy: 5)
        let expected = full * written + min(rest, written)
        let refused = totals.appended - expected
        #expect(try await sender.sent(dropped: refused > 0 ? [.refused: refused] : [:]) == expected)
        let found = try await requests(receiver, samples: totals.appended)
        #expect(found.allSatisfy { $0.version == "2.0.0" })
        let cause = sender.messages.all.first ?? ""
        #expect(cause.contains("answered \(status)") == (refused > 0), "\(cause)")
        running.cancel()
        try await running.value
    }

    @Test("After 503 a request is sent again as a whole, whatever it says was written")
    func transient() async throws {
        let receiver = try await Receiver()
        let sender = try Sender(receiver.url("/busy/1/write2"))
        let running = Task { try await sender.pusher.run() }
        // The interval, and the seven seconds that the receiver asks for.
        await sender.time.waitForSleepers(1)
        try await Loopback.wait(for: "the 503") { !sender.messages.all.isEmpty }
        sender.time.advance(by: Self.interval)
        try await sender.settle("the next push")
        #expect(try await requests(receiver, samples: try await sender.sent()).allSatisfy { $0.version == "2.0.0" })
        #expect(sender.messages.all.count == 2)
        running.cancel()
        try await running.value
        _ = try await sender.sent()
    }

    @Test("A receiver of 2.0 only gets every sample in 2.0 after an answer of a proxy", arguments: [200, 400])
    func stray(_ status: Int) async throws {
        let receiver = try await Receiver()
        let sender = try Sender(receiver.url("/stray/\(status)/only2"))
        let running = Task { try await sender.pusher.run() }
        await sender.time.waitForSleepers(1)
        try await Loopback.wait(for: "the answer to 1.0") { !sender.messages.all.isEmpty }
        sender.time.advance(by: Self.interval)
        try await sender.settle("the next push")
        let requests = try await requests(receiver, samples: try await sender.sent())
        #expect(requests.compactMap { $0["answer"] as? Int } == [status, 415])
        #expect(requests.count { $0.version == "0.1.0" } == 1)
        let messages = sender.messages.all
        #expect(messages.count == 2 && messages[0].contains("does not take remote write 1.0"), "\(messages)")
        running.cancel()
        try await running.value
        _ = try await sender.sent()
    }

    @Test("A receiver that takes neither version refuses a batch")
    func neither() async throws {
        let receiver = try await Receiver()
        let target = try PushTarget.remoteWrite(PushEndpoint(receiver.url("/status/415")), version: .v2)
        let registry = Registry()
        try registry.gauge("level", help: "L.").set(3)
        for batch in target.destination.batches(of: registry.collect(), at: 1_700_000_000) {
            let error = await #expect(throws: PushError.self) { _ = try await target.destination.send(batch) }
            #expect(error?.code == .rejected && error?.message.contains("neither remote write 2.0 nor 1.0") == true)
        }
    }

    @Test("A batch that is no request of 2.0 is refused, and its message says what to do")
    func unreadable() async throws {
        let receiver = try await Receiver()
        let target = try PushTarget.remoteWrite(PushEndpoint(receiver.url("/status/415")), version: .v2)
        let error = await #expect(throws: PushError.self) {
            _ = try await target.destination.send(PushBatch(samples: 1, bytes: [1]))
        }
        #expect(error?.code == .rejected && error?.message.contains("version: .v1") == true)
    }
}

@Suite("How long 1.0 is sent")
struct VersionFallbackStateTests {
    @Test("It lasts an hour from the last refusal, and is reported once until 2.0 is taken")
    func states() {
        let start = Instant(nanoseconds: 0)
        var fallback = VersionFallback()
        #expect(!fallback.isActive(at: start) && fallback.notice().isEmpty)
        fallback.refused(at: start, "h answered 415")
        #expect(fallback.isActive(at: start) && fallback.isActive(at: start.advanced(by: .seconds(3_599))))
        #expect(!fallback.isActive(at: start.advanced(by: .seconds(3_600))))
        #expect(fallback.notice().hasPrefix("h answered 415, so it gets remote write 1.0") && fallback.notice().isEmpty)
        fallback.refused(at: start.advanced(by: .seconds(3_600)), "h answered 415")
        #expect(fallback.isActive(at: start.advanced(by: .seconds(7_199))) && fallback.notice().isEmpty)
        fallback.accepted()
        #expect(!fallback.isActive(at: start))
        fallback.refused(at: start, "h answered 204")
        #expect(fallback.notice().hasPrefix("h answered 204"))
    }
}
