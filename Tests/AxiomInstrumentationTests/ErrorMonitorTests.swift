// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Synchronization
import Testing

@testable import Axiom

@Suite("Error monitor (ERM-01)")
struct ErrorMonitorTests {
    private enum Fault: Error {
        case refused(String)
        case late
    }

    private struct Numbered: AxiomError {
        let number: Int
        var code: ErrorCode { ErrorCode(rawValue: "SHOP_\(number)") }
        var message: String { "It is the fault number \(number)." }
        var recoverySuggestion: String { "Wait." }
        var severity: ErrorSeverity { number.isMultiple(of: 3) ? .critical : .warning }
    }

    private static let client = ComponentDescriptor(kind: .client, name: "TillClient")
    private static let other = ComponentDescriptor(kind: .client, name: "MailClient")
    private static let context = ComponentDescriptor(kind: .context, name: "ShopContext")

    private static func ended(_ error: any Error, in origin: ComponentDescriptor = client) -> EndedError {
        EndedError(error, origin: origin, boundary: context)
    }

    @Test("Errors of the same type, case or code, and component are one group, whatever their messages")
    func grouping() throws {
        let telemetry = try Telemetry(logsErrors: false)
        for text in ["a", "b", "c"] { telemetry.ended(Self.ended(Fault.refused(text))) }
        telemetry.ended(Self.ended(Fault.late))
        telemetry.ended(Self.ended(Fault.late, in: Self.other))
        for number in [1, 2] { telemetry.ended(Self.ended(NSError(domain: "shop", code: number))) }
        for number in [1, 1, 2] { telemetry.ended(Self.ended(Numbered(number: number))) }
        let counts = Dictionary(
            uniqueKeysWithValues: telemetry.errors.report.groups.map { group in
                let key = [group.type, group.code ?? "", group.fingerprint.component.name]
                return (key, group.count)
            }
        )
        #expect(
            counts == [
                ["Fault", "refused", "TillClient"]: 3,
                ["Fault", "late", "TillClient"]: 1,
                ["Fault", "late", "MailClient"]: 1,
                ["NSError", "shop", "TillClient"]: 2,
                ["Numbered", "SHOP_1", "TillClient"]: 2,
                ["Numbered", "SHOP_2", "TillClient"]: 1,
            ]
        )
    }

    @Test("However many kinds of errors come, the groups are bounded and no error is missing from the total")
    func bounded() throws {
        let time = ManualTime()
        let telemetry = try Telemetry(errorGroupLimit: 50, logsErrors: false, clock: .manual(time))
        var generator = SplitMix64(seed: 7)
        var last: [Int: Int] = [:]
        for step in 1...20_000 {
            let number =
                Int(Double(generator.next() >> 11) / Double(1 << 53) * 30) * Int.random(in: 1...30, using: &generator)
            telemetry.ended(Self.ended(Numbered(number: number)))
            last[number] = step
            if step.isMultiple(of: 500) {
                let report = telemetry.errors.report
                #expect(report.groups.count <= 50)
                #expect(report.count == UInt64(step))
                // Those that were heard of last are the ones that are kept, the latest first.
                let latest = last.sorted { $0.value > $1.value }.prefix(50).map { "SHOP_\($0.key)" }
                #expect(report.groups.map(\.code) == latest)
            }
            time.advance(by: .milliseconds(100))
        }
        #expect(telemetry.errors.report.others.groups > 0)
    }

    @Test("A group has the times of its first and last error, the latest text, and the highest severity")
    func facts() throws {
        let time = ManualTime()
        let telemetry = try Telemetry(logsErrors: false, clock: .manual(time))
        for text in ["first", "second"] {
            telemetry.ended(Self.ended(Fault.refused(text)))
            time.advance(by: .seconds(5))
        }
        let group = try #require(telemetry.errors.report.groups.first)
        #expect(group.firstSeen == Instant(nanoseconds: 0))
        #expect(group.lastSeen == Instant(nanoseconds: 5_000_000_000))
        #expect(group.sample.text == #"refused("second")"#)
        #expect(group.sample.path == [Self.client, Self.context])
        #expect(group.severity == .nonCritical)
    }

    @Test("Rates over windows are those of a reference that remembers every error")
    func rates() throws {
        let time = ManualTime()
        let telemetry = try Telemetry(logsErrors: false, clock: .manual(time))
        var generator = SplitMix64(seed: 3)
        var seen: [Double] = []
        for _ in 0..<2_000 {
            time.advance(by: .milliseconds(Int64.random(in: 0...4_000, using: &generator)))
            if Int.random(in: 0..<200, using: &generator) == 0 { time.advance(by: .seconds(700)) }
            telemetry.ended(Self.ended(Fault.late))
            let now = time.now.seconds(since: Instant(nanoseconds: 0))
            seen.append(now)
            let group = try #require(telemetry.errors.report.groups.first)
            for minutes in [1, 5, 15] {
                // Whole steps of 10 s, and the one that runs.
                let start = (now / 10).rounded(.down) * 10 - Double(minutes * 60 - 10)
                let expected = Double(seen.count { $0 >= start }) / (now - start)
                #expect(abs(group.rate(minutes: minutes, at: time.now) - expected) <= 1e-9 * expected)
            }
        }
    }

    @Test("Recoveries have a success rate and a mean time, and are not errors that ended")
    func recoveries() throws {
        let telemetry = try Telemetry(logsErrors: false, detail: .full)
        for (outcome, nanoseconds) in [
            (.recovered, 1_000_000_000), (.recovered, 3_000_000_000), (.failed, 1), (.cancelled, 1),
        ]
            as [(RecoveryReport.Outcome, Int64)]
        {
            telemetry.recoveryEnded(
                RecoveryReport(
                    strategy: "retry",
                    outcome: outcome,
                    nanoseconds: nanoseconds,
                    attempts: 1,
                    error: Fault.late,
                    origin: Self.client,
                    boundary: Self.context
                )
            )
        }
        let group = try #require(telemetry.errors.report.groups.first)
        #expect(group.count == 0)
        #expect(group.recoveries.succeeded == 2 && group.recoveries.failed == 1)
        #expect(group.recoveries.meanSeconds == 2)
        // Any instant will do.
        for instant in [Int64.min, -1, 0, .max] {
            #expect(group.rate(minutes: 15, at: Instant(nanoseconds: instant)).isFinite)
        }
        #expect(group.recoveries.cancelled == 1)
        let page = telemetry.registry.collect()
        let family = try #require(page.family("axiom_error_recoveries_total"))
        #expect(family.first { $0.labels["strategy"] == "retry" && $0.labels["outcome"] == "recovered" }?.value == 2)
        #if Instrumented
        for strategy in ["ignore", "navigation_fallback"] {
            let failed = family.first { $0.labels["strategy"] == strategy && $0.labels["outcome"] == "failed" }
            #expect(failed?.value == 0, "\(strategy)")
        }
        #endif
    }

    @Test("The sink gets every critical error that finds a place, in order and no other; the rest is counted by reason")
    func sink() async throws {
        let sink = GatedSink()
        let telemetry = try Telemetry(errorSink: sink, logsErrors: false)
        telemetry.ended(Self.ended(Numbered(number: 0)))
        await sink.begun()
        for number in 1...450 { telemetry.ended(Self.ended(Numbered(number: number))) }
        #expect(dropped(telemetry, "error_sink_full") == 50)
        await sink.open()
        await telemetry.drainErrorSink()
        #expect(await sink.received == (0...100).map { $0 * 3 })
        #expect(dropped(telemetry, "error_sink_failed") == (0...100).count { ($0 * 3).isMultiple(of: 7) })
    }

    @Test("A task that waits for a sink that hangs can be cancelled before and during the wait")
    func cancelledDrain() async throws {
        let sink = GatedSink()
        let telemetry = try Telemetry(errorSink: sink, logsErrors: false)
        telemetry.ended(Self.ended(Numbered(number: 0)))
        await sink.begun()
        for isEarly in [true, false] {
            let (began, begin) = AsyncStream.makeStream(of: Void.self)
            let drain = Task {
                if isEarly { withUnsafeCurrentTask { $0?.cancel() } }
                begin.finish()
                await telemetry.drainErrorSink()
            }
            for await _ in began {}
            drain.cancel()
            await drain.value
        }
        await sink.open()
        await telemetry.drainErrorSink()
        #expect(await sink.received == [0])
    }

    private func dropped(_ telemetry: Telemetry, _ reason: String) -> Int? {
        let family = telemetry.registry.collect().family("axiom_telemetry_dropped_total")
        return family?.first { $0.labels["reason"] == reason }.map { Int($0.value) }
    }

    /// Takes errors once its gate is open, and refuses each whose number is a multiple of 7 after having taken it.
    private actor GatedSink: ErrorSink {
        private(set) var received: [Int] = []
        private var isOpen = false
        private var hasBegun = false
        private var waiting: [CheckedContinuation<Void, Never>] = []
        private var watching: [CheckedContinuation<Void, Never>] = []

        func receive(_ error: EndedError) async throws {
            hasBegun = true
            for continuation in watching { continuation.resume() }
            watching = []
            if !isOpen { await withCheckedContinuation { waiting.append($0) } }
            guard let error = error.error as? Numbered else { return }
            received.append(error.number)
            if error.number.isMultiple(of: 7) { throw error }
        }

        func begun() async {
            if !hasBegun { await withCheckedContinuation { watching.append($0) } }
        }

        func open() {
            isOpen = true
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }
}
