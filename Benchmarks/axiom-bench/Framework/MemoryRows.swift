// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import Foundation

/// The specification's goal for the memory of a whole application.
///
/// A row runs once in a process of its own, so what the process had before is that of a program with the same imports that
/// does nothing. What is counted is anonymous memory as the kernel counts it, in main memory or in the swap area: the pages
/// that the process has written and that no file has. Unlike the blocks of the heap it includes stacks, gaps between
/// blocks, and data of the program that was written; and it leaves out reserved pages that were not written, such as those
/// of the flight recorder. `Private_Dirty` would also count the program's own code, as long as the kernel has not written
/// a new executable to its disk.
enum MemoryRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "application.memory.typical",
            statement: "memory of 50 components with telemetry and flight recorder, 14 contexts shown, after "
                + "5,040 actions and a scrape, beyond that of an empty program < 5 MB",
            unit: "bytes",
            limit: 5 * 1_048_576,
            measure: { try await typical() }
        )
    ]

    private struct NotMeasured: Error, CustomStringConvertible {
        let description: String
    }

    private static let actionsPerContext = 360

    @MainActor
    private static func typical() async throws -> Double {
        // The first reading takes what reading takes.
        _ = try anonymousBytes()
        let before = try anonymousBytes()
        let telemetry = try Telemetry()
        let application = LayeredApplication(capabilities: 22, clients: 14, instrumentation: telemetry)
        try await application.start()
        try await use(application)
        let page = scrape(telemetry)
        let bytes = Double(try anonymousBytes() - before)
        guard application.components == 50, page.contains("LayeredClient") else {
            throw NotMeasured(description: "the page does not show the components")
        }
        withExtendedLifetime((telemetry, application)) {}
        return bytes
    }

    /// Sends each context its actions, and waits until it shows their result.
    @MainActor
    private static func use(_ application: LayeredApplication) async throws {
        guard application.contexts.count == 14 else { throw NotMeasured(description: "not all contexts are shown") }
        for _ in 0..<actionsPerContext {
            for context in application.contexts { await context.send() }
        }
        for _ in 0..<1_000 where application.contexts.contains(where: { $0.count() != actionsPerContext }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        guard application.contexts.allSatisfy({ $0.count() == actionsPerContext }), application.frames > 100 else {
            throw NotMeasured(description: "the contexts do not show all actions")
        }
    }

    private static func scrape(_ telemetry: Telemetry) -> String {
        var buffer = ExpositionBuffer()
        ExpositionFormat.text.encode(telemetry.registry.collect(), into: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// The bytes that this process has written and no file has, from proc_pid_smaps(5).
    private static func anonymousBytes() throws -> Int {
        guard let data = FileManager.default.contents(atPath: "/proc/self/smaps_rollup") else {
            throw NotMeasured(description: "there is no /proc/self/smaps_rollup")
        }
        let kilobytes = String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line -> Int? in
            let fields = line.split(separator: " ")
            guard fields.count == 3, ["Anonymous:", "Swap:"].contains(fields[0]) else { return nil }
            return Int(fields[1])
        }
        guard kilobytes.count == 2 else { throw NotMeasured(description: "smaps_rollup has other fields") }
        return kilobytes.reduce(0, +) * 1_024
    }
}
