// SPDX-License-Identifier: Apache-2.0

#if Instrumented
@testable import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation

@Suite("The latest errors of a group", .timeLimit(.minutes(10)))
@MainActor
struct ErrorOccurrenceTests {
    private enum Fault: Error { case refused(String) }

    nonisolated private static let client = ComponentDescriptor(kind: .client, name: "TillClient")
    nonisolated private static let context = ComponentDescriptor(kind: .context, name: "ShopContext")

    private func occurrences(_ telemetry: Telemetry) throws -> [DescribedOccurrence] {
        let group = try #require(telemetry.errors.report.groups.first)
        return try #require(telemetry.errors.occurrences(of: [group]).first)
    }

    private func end(_ text: String, _ telemetry: Telemetry) {
        telemetry.ended(EndedError(Fault.refused(text), origin: Self.client, boundary: Self.context))
    }

    private func recover(_ outcome: RecoveryReport.Outcome, _ telemetry: Telemetry) {
        telemetry.recoveryEnded(
            RecoveryReport(
                strategy: "retry",
                outcome: outcome,
                nanoseconds: 1,
                attempts: 1,
                error: Fault.refused("retried"),
                origin: Self.client,
                boundary: Self.context
            )
        )
    }

    @Test("The last 20 are kept, the latest first, each with its time, message, path and outcome")
    func latest() throws {
        let time = ManualTime()
        let telemetry = try Telemetry(clock: .manual(time))
        for number in 1...50 {
            end("\(number)", telemetry)
            time.advance(by: .seconds(1))
        }
        var found = try occurrences(telemetry)
        #expect(found.map(\.occurrence.sample.text) == (31...50).reversed().map { "refused(\"\($0)\")" })
        #expect(
            found.map(\.occurrence.sample.time) == (30...49).reversed().map { Instant(nanoseconds: $0 * 1_000_000_000) }
        )
        #expect(Set(found.map(\.occurrence.number)).count == 20)
        #expect(found.allSatisfy { $0.occurrence.sample.path == [Self.client, Self.context] })
        #expect(found.allSatisfy { $0.trace == nil && $0.action == nil })
        // A remedy that failed settles nothing.
        for outcome in [RecoveryReport.Outcome.recovered, .failed, .cancelled] { recover(outcome, telemetry) }
        found = try occurrences(telemetry)
        #expect(found.prefix(3).map(\.occurrence.outcome) == [.cancelled, .recovered, .ended])
        #expect(found.count == 20)
    }

    @Test("However long the messages are, a group keeps at most 8 KiB of them, and always the latest")
    func bounded() throws {
        var generator = SplitMix64(seed: 11)
        var log = OccurrenceLog()
        var texts: [String] = []
        for _ in 0..<2_000 {
            let length = Int.random(in: 0...2_000, using: &generator) / Int.random(in: 1...200, using: &generator)
            let character =
                ["a", "\u{00E4}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"].randomElement(using: &generator) ?? "a"
            let sample = ErrorGroup.Sample(
                Fault.refused(String(repeating: character, count: length)),
                path: [],
                at: Instant(nanoseconds: 0)
            )
            #expect(sample.text.utf8.count <= 4_003)
            texts.append(sample.text)
            log.add(ErrorOccurrence(sample, .ended, .none))
            let kept = log.entries.map(\.sample.text)
            let bytes = kept.reduce(0) { $0 + $1.utf8.count }
            #expect(kept == texts.suffix(kept.count))
            #expect((1...20).contains(kept.count))
            #expect(bytes <= 8_192)
            // No more were dropped than necessary.
            let next = texts.dropLast(kept.count).last
            #expect(kept.count == 20 || next.map { bytes + $0.utf8.count > 8_192 } ?? true)
        }
    }

    @Test("An error of an action has the trace of the action and its name, whether it ended or was recovered")
    func traces() async throws {
        let app = try await FlightApp.started()
        let context = try app.context()
        for isRecovered in [false, true] {
            context.choose = { _ in isRecovered ? .ignore : .surface }
            let trace = try #require(await app.trace(context) { _ in throw Fault.refused("here") })
            let latest = try #require(try occurrences(app.telemetry).first)
            #expect(latest.occurrence.outcome == (isRecovered ? .recovered : .ended))
            #expect(latest.trace == trace.id)
            #expect(latest.action == "FlightContext.run")
            #expect(latest.occurrence.sample.text == "refused(\"here\")")
        }
        await app.orchestrator.shutdown()
    }
}
#endif
