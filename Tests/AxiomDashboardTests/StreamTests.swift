// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("The stream of events")
struct StreamTests {
    private func text(_ bytes: [UInt8]?) -> String {
        String(decoding: bytes ?? [], as: UTF8.self)
    }

    @Test("A reader gets every tick once, and the end")
    func order() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        let first = try Viewer(workshop.dashboard.snapshot())
        let events = workshop.dashboard.events(since: first.seq, instance: first.instance).makeAsyncIterator()
        #expect(text(await events.next()) == "retry: 1000\n\n")
        for number in 1...5 {
            workshop.tick()
            #expect(text(await events.next()).hasPrefix("id: \(first.seq + number)\nevent: tick\ndata: {\"seq\":"))
        }
        workshop.dashboard.stop(reason: "exit <0>")
        #expect(text(await events.next()).contains("event: end\ndata: {\"at\":"))
        #expect(await events.next() == nil)
    }

    @Test("Compressed, the parts of a stream are one gzip file, and readers share the bytes of a tick")
    func compression() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        let dashboard = workshop.dashboard
        let plain = dashboard.events().makeAsyncIterator()
        let readers = (0..<2).map { _ in
            dashboard.events(since: nil, instance: nil, isCompressed: true).makeAsyncIterator()
        }
        var (text, parts) = ([UInt8](), [[[UInt8]]](repeating: [], count: 2))
        for step in 0...4 {
            if step > 0 { workshop.tick() }
            if step == 4 { dashboard.stop() }
            text += try #require(await plain.next())
            for (index, reader) in readers.enumerated() { parts[index].append(try #require(await reader.next())) }
        }
        for reader in readers { #expect(await reader.next() == nil) }
        #expect(parts[0] == parts[1])
        #expect(try await Self.unzipped(parts[0].flatMap(\.self)) == text)
        // Each part can be read without the next one.
        #expect(try await Self.unzipped(parts[0].prefix(2).flatMap(\.self)).count > 100)
    }

    /// What gzip finds in a file, which may be cut off.
    private static func unzipped(_ bytes: [UInt8]) async throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UInt64.random(in: 0 ... .max)).gz")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return Array(try await Command.run("/usr/bin/env", ["gzip", "-dc", file.path]).output.utf8)
    }

    @Test("A reader that waits is woken by the tick, and all readers get the same bytes")
    func waking() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        let dashboard = workshop.dashboard
        let readers = (0..<5).map { _ in
            Task {
                let events = dashboard.events().makeAsyncIterator()
                _ = await events.next()
                return await events.next()
            }
        }
        while dashboard.buffer.waiting < 5 { await Task.yield() }
        workshop.tick()
        var received: Set<[UInt8]> = []
        for reader in readers { received.insert(try #require(await reader.value)) }
        #expect(received.count == 1)
    }

    @Test("A slow reader loses ticks, is sent a reset, and does not hold up the others")
    func slowReader() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        let events = workshop.dashboard.events().makeAsyncIterator()
        _ = await events.next()
        for _ in 0..<(ReplayBuffer.capacity + 1) { workshop.tick() }
        #expect(text(await events.next()) == "event: reset\ndata: {}\n\n")
        workshop.tick()
        #expect(text(await events.next()).contains("\"seq\":\(ReplayBuffer.capacity + 3),"))
    }

    @Test("A reader of another run is sent a reset")
    func otherRun() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        let events = workshop.dashboard.events(since: 400, instance: "other").makeAsyncIterator()
        #expect(text(await events.next()).hasSuffix("event: reset\ndata: {}\n\n"))
        workshop.tick()
        #expect(text(await events.next()).contains("\"seq\":2,"))
    }

    @Test("A reader that is cancelled leaves nothing behind")
    func cancellation() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        let dashboard = workshop.dashboard
        let reader = Task {
            let events = dashboard.events().makeAsyncIterator()
            _ = await events.next()
            return await events.next()
        }
        while dashboard.buffer.waiting < 1 { await Task.yield() }
        #expect(dashboard.buffer.readers == 1)
        reader.cancel()
        #expect(await reader.value == nil)
        #expect(dashboard.buffer.waiting == 0)
        #expect(dashboard.buffer.readers == 0)
    }

    @Test("While it runs it takes a sample each second of its clock, on the second")
    func sampler() async throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000.25)
        let telemetry = try Telemetry(clock: .manual(time))
        let dashboard = Dashboard(telemetry: telemetry)
        dashboard.start()
        dashboard.start()
        // It sleeps by the same clock.
        telemetry.readings.mainActor.stop()
        for second in 1...3 {
            await time.waitForSleepers(1)
            time.advance(by: second == 1 ? .milliseconds(750) : .seconds(1))
        }
        await time.waitForSleepers(1)
        #expect(time.sleeperCount == 1)
        let viewer = try Viewer(dashboard.snapshot())
        #expect(viewer.seq == 3)
        #expect(viewer.at == 1_700_000_003)
        dashboard.stop()
    }
}
