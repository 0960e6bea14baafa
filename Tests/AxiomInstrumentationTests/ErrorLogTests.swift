// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomInstrumentation

@Suite("The errors on standard error", .timeLimit(.minutes(10)))
struct ErrorLogTests {
    private struct Refused: AxiomError {
        var code: ErrorCode = "TILL_REFUSED"
        var severity = ErrorSeverity.nonCritical
        var message = "The till is closed."
        let recoverySuggestion = "Open it."
    }

    private static let client = ComponentDescriptor(kind: .client, name: "TillClient")
    private static let context = ComponentDescriptor(kind: .context, name: "TillContext")

    private let time = ManualTime()
    private let pipe = Pipe()

    private func telemetry() throws -> Telemetry {
        let telemetry = try Telemetry(clock: .manual(time))
        telemetry.errorLog.redirect(to: pipe.fileHandleForWriting.fileDescriptor)
        return telemetry
    }

    private func end(_ telemetry: Telemetry, _ error: any Error = Refused()) {
        telemetry.ended(EndedError(error, origin: Self.client, boundary: Self.context))
    }

    /// All lines, after the last was written.
    private func lines(_ telemetry: Telemetry) async throws -> [String] {
        while !Task.isCancelled, telemetry.errorLog.lines.isDelivering { await Task.yield() }
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    @Test("An error that ends is a line with its severity, code, path and message (LOG-02)")
    func line() async throws {
        let telemetry = try telemetry()
        end(telemetry)
        end(telemetry, Refused(severity: .critical, message: "line 1\nline 2 \u{1b}[31m"))
        time.advance(by: .seconds(60))
        end(telemetry, Refused(severity: .critical, message: "line 1\nline 2 \u{1b}[31m"))
        #expect(
            try await lines(telemetry) == [
                "axiom: error TILL_REFUSED in TillClient → TillContext: The till is closed.",
                "axiom: critical error TILL_REFUSED in TillClient → TillContext: "
                    + #"line 1\u{a}line 2 \u{1b}[31m (1 more since the last message)"#,
            ]
        )
    }

    @Test("A group has at most one line in 60 s, and each error is a line or is counted by the next line of its group")
    func conservation() async throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed)
        let telemetry = try telemetry()
        var groups = [String: (lines: [Instant], unlogged: Int)]()
        var expected: [String] = []
        for _ in 0..<90 {
            time.advance(by: .milliseconds(Int.random(in: 0...20_000, using: &random)))
            let code = "TILL_\(Int.random(in: 1...3, using: &random))"
            end(telemetry, Refused(code: ErrorCode(rawValue: code)))
            if let last = groups[code]?.lines.last, time.now < last.advanced(by: .seconds(60)) {
                groups[code]?.unlogged += 1
                continue
            }
            let more = (groups[code]?.unlogged).flatMap { $0 > 0 ? " (\($0) more since the last message)" : nil } ?? ""
            groups[code, default: ([], 0)].lines.append(time.now)
            groups[code]?.unlogged = 0
            expected.append("axiom: error \(code) in TillClient → TillContext: The till is closed.\(more)")
        }
        #expect(try await lines(telemetry) == expected, "seed \(seed)")
        #expect(telemetry.errors.report.count == 90)
    }

    @Test("A telemetry whose errors go to the application's log writes none")
    func left() async throws {
        let telemetry = try telemetry()
        telemetry.leaveErrorsToLog()
        end(telemetry)
        #expect(try await lines(telemetry).isEmpty)
        #expect(telemetry.errors.report.count == 1)
    }

    @Test("A pipe whose reader has ended ends no process, and the end of an orchestrator waits for lines")
    func brokenPipe() async throws {
        let telemetry = try telemetry()
        end(telemetry)
        telemetry.shutDown(at: time.now)
        #expect(!telemetry.errorLog.lines.isDelivering)
        try pipe.fileHandleForReading.close()
        time.advance(by: .seconds(60))
        end(telemetry)
        telemetry.shutDown(at: time.now)
        var pending = sigset_t()
        sigpending(&pending)
        #expect(sigismember(&pending, SIGPIPE) == 0)
    }
}
