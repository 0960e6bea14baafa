// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomTesting

@Suite("Golden pages of metrics", .timeLimit(.minutes(10)))
@MainActor
struct PageTests {
    /// A new folder of the test.
    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-golden-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    #if Instrumented
    @Test("The page of an application equals its golden file, whatever the durations (TL-T1)")
    func page() async throws {
        let counter = try await Counter()
        await counter.context.send(.sell { counter.time.advance(by: .milliseconds(.random(in: 1...30))) })
        await counter.host.unmount()
        let masks: [PageMask] = [.only("axiom_client_", "axiom_context_action"), .durations]
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        await assertions.expectPage("Golden/counter.prom", masking: masks)
    }

    @Test("A missing file and a differing one are named with the remedy", .enabled(if: !GoldenFile.isRecording))
    func failure() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "page.prom").path
        let remedy = "If the new text is right, run the test with AXIOM_RECORD=1, and commit the file."
        #expect(
            await failures { await assertions.expectPage(path) } == ["There is no golden file \(path).\n\(remedy)"]
        )
        let page = MaskedPage(counter.telemetry.registry.collect().text, [.families("axiom"), .families("process")])
        #expect(page.text.isEmpty)
        try "shop_orders_total 3\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(
            await failures {
                await assertions.expectPage(path, masking: [.families("axiom_"), .families("process_")])
            } == [
                """
                The page differs from \(path) (- expected, + recorded):
                @@ -1,2 +1,1 @@
                -shop_orders_total 3
                \(" ")
                \(remedy)
                """
            ]
        )
    }

    @Test("A page without a metric, because reading it failed, is a failure that names the metric")
    func incomplete() async throws {
        let counter = try await Counter()
        try counter.telemetry.registry.gaugeCallback("shop_queue_orders", help: "Orders.") { throw QueueIsClosed() }
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "page.prom").path
        try "".write(toFile: path, atomically: true, encoding: .utf8)
        let problem = try #require(counter.telemetry.registry.collect().problems.first)
        let texts = await failures {
            let masks: [PageMask] = [.families("axiom_"), .families("process_")]
            await TelemetryAssertions(counter.telemetry, of: counter.orchestrator).expectPage(path, masking: masks)
        }
        #expect(texts == ["The page is incomplete: \(problem)"])
        #expect("\(problem)".contains("shop_queue_orders") && "\(problem)".contains("QueueIsClosed"))
    }

    private struct QueueIsClosed: Error {}
    #endif

    @Test("With AXIOM_RECORD=1 the file is written, and after that it is equal")
    func recording() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = GoldenFile("new/page.prom", besides: folder.appending(path: "Tests.swift").path)
        #expect(file.path == folder.appending(path: "new/page.prom").path)
        let message = "Recorded \(file.path). Read it, commit it, and run the test without AXIOM_RECORD."
        #expect(file.compare("a 1\n", isRecording: true) == .recorded(message))
        #expect(file.compare("a 1\n", isRecording: true) == .equal)
        #expect(file.compare("a 1\n", isRecording: false) == .equal)
        try Data([0xFF]).write(to: URL(filePath: file.path))
        guard case .failed(let unreadable) = file.compare("a 1\n", isRecording: false) else {
            Issue.record("a file that is no text")
            return
        }
        #expect(unreadable.hasPrefix("The golden file \(file.path) cannot be read: "))
        let blocked = GoldenFile(file.path + "/page.prom", besides: "")
        guard case .failed(let text) = blocked.compare("a 1\n", isRecording: true) else {
            Issue.record("a file as a folder")
            return
        }
        #expect(text.hasPrefix("The golden file \(blocked.path) cannot be written: "))
    }

    @Test("Masks replace values, keep numbers of observations, and leave out families")
    func masks() {
        let page = """
            # HELP shop_wait_seconds Waits.
            # TYPE shop_wait_seconds histogram
            shop_wait_seconds_bucket{store="a b",le="0.1"} 1
            shop_wait_seconds_bucket{store="a b",le="+Inf"} 2
            shop_wait_seconds_sum{store="a b"} 0.3
            shop_wait_seconds_count{store="a b"} 2
            # HELP process_open_fds Files.
            # TYPE process_open_fds gauge
            process_open_fds 7
            # HELP shop_memory_bytes Memory.
            # TYPE shop_memory_bytes gauge
            shop_memory_bytes 4096
            # HELP shop_orders_total Orders.
            # TYPE shop_orders_total counter
            shop_orders_total 3

            """
        #expect(
            MaskedPage(page, [.process, .durations, .values(of: "shop_memory")]).text == """
                # HELP shop_wait_seconds Waits.
                # TYPE shop_wait_seconds histogram
                shop_wait_seconds_bucket{store="a b",le="0.1"} *
                shop_wait_seconds_bucket{store="a b",le="+Inf"} 2
                shop_wait_seconds_sum{store="a b"} *
                shop_wait_seconds_count{store="a b"} 2
                # HELP shop_memory_bytes Memory.
                # TYPE shop_memory_bytes gauge
                shop_memory_bytes *
                # HELP shop_orders_total Orders.
                # TYPE shop_orders_total counter
                shop_orders_total 3

                """
        )
        #expect(MaskedPage(page, []).text == page)
        #expect(
            MaskedPage(page, [.only("shop_orders", "process_"), .process]).text == """
                # HELP shop_orders_total Orders.
                # TYPE shop_orders_total counter
                shop_orders_total 3

                """
        )
        #expect(!MaskedPage(page, [.sizes]).text.contains("4096"))
    }

    @Test("A unified diff has hunks with three lines around the changes, as diff -u prints them")
    func diff() {
        let old = (1...20).map(String.init)
        var new = old
        new[1] = "two"
        new.remove(at: 15)
        new.append("21")
        let text = TextDiff(expected: old.joined(separator: "\n"), actual: new.joined(separator: "\n")).text
        #expect(
            text == """
                @@ -1,5 +1,5 @@
                 1
                -2
                +two
                 3
                 4
                 5
                @@ -13,8 +13,8 @@
                 13
                 14
                 15
                -16
                 17
                 18
                 19
                 20
                +21
                """
        )
        #expect(TextDiff(expected: "a", actual: "a").text.isEmpty)
    }
}
