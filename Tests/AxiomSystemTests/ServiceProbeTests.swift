// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomSystem

extension SystemService {
    fileprivate static let database = SystemService(rawValue: "database")
}

@Suite("A service that is asked by a period", .timeLimit(.minutes(10)))
struct ServiceProbeTests {
    private struct Refusal: Error, CustomStringConvertible {
        let description = "the connection was refused."
    }

    private enum Answer {
        case works, fails
        /// Ends only when the gate opens, whether it was cancelled or not.
        case hangs(Gate)
        /// Ends when it is cancelled.
        case waits
    }

    /// Answers the probes one by one on a manual time. A probe that works or fails does not end before its limit is set, so
    /// that a test knows what sleeps.
    private final class Service: Sendable {
        let time = ManualTime()
        let answers: Lock<[Answer]>
        let begun = Journal<Instant>()

        init(_ answers: [Answer]) { self.answers = Lock(answers) }

        func source(failures: Int = 3) throws -> ServiceProbeSource {
            let clock = TimeSource.manual(time)
            return try ServiceProbeSource(
                .database,
                every: .seconds(5),
                timeout: .seconds(1),
                failures: failures,
                clock: clock
            ) { [self] in
                await time.waitForSleepers(1)
                begun.write(clock.now)
                switch answers.withLock({ $0.removeFirst() }) {
                case .works: return
                case .fails: throw Refusal()
                case .hangs(let gate): await gate.wait()
                case .waits: try await TimeSource.manual(ManualTime()).sleep(for: .seconds(60))
                }
            }
        }

        /// Lets periods and limits pass, one after the other: each when it is the next that ends.
        func pass(_ seconds: Int...) async {
            for seconds in seconds {
                let deadline = time.now.advanced(by: .seconds(seconds))
                await eventually { [time] in time.nextDeadline == deadline }
                time.advance(by: .seconds(seconds))
            }
        }

        /// Lets periods pass until all answers are given: the end of a probe may be noticed a period later.
        func passAll() async {
            while true {
                let deadline = time.now.advanced(by: .seconds(5))
                await eventually { [self] in time.nextDeadline == deadline || answers.withLock(\.isEmpty) }
                if answers.withLock(\.isEmpty) { return }
                time.advance(by: .seconds(5))
            }
        }

        /// The second probe begins after a period, and exceeds its limit.
        func passLate() async {
            await pass(5)
            await begun.wait(forCount: 2)
            await pass(1)
        }
    }

    private func isUp(_ event: CapabilityEvent?) -> Bool? {
        if case .service(.database, let isUp, _) = event { isUp } else { nil }
    }

    @Test("It is away after three failures in a row, and back after one success (CAP-11)")
    func failures() async throws {
        let service = Service([.works, .fails, .fails, .works, .fails, .fails, .fails, .fails, .works])
        var events = try service.source().events().makeAsyncIterator()
        #expect(try await events.next() == .service(.database, isUp: true, reason: "it answers"))
        async let passing: Void = service.pass(5, 5, 5, 5, 5, 5, 5, 5)
        let reason = "it does not answer: the connection was refused"
        #expect(try await events.next() == .service(.database, isUp: false, reason: reason))
        #expect(try await events.next() == .service(.database, isUp: true, reason: "it answers"))
        await passing
        #expect(service.begun.entries.map(\.nanoseconds) == (0..<9).map { $0 * 5_000_000_000 })
    }

    @Test("The first probe decides what the first event says")
    func first() async throws {
        let service = Service([.fails, .works])
        var events = try service.source().events().makeAsyncIterator()
        let reason = "it does not answer: the connection was refused"
        #expect(try await events.next() == .service(.database, isUp: false, reason: reason))
        async let passing: Void = service.pass(5)
        #expect(isUp(try await events.next()) == true)
        await passing
    }

    @Test("A probe that takes longer than its limit has failed, and is cancelled")
    func late() async throws {
        let service = Service([.works, .waits, .works])
        var events = try service.source(failures: 1).events().makeAsyncIterator()
        #expect(isUp(try await events.next()) == true)
        async let passing: Void = service.passLate()
        let reason = "it does not answer: no answer within 1.0 seconds"
        #expect(try await events.next() == .service(.database, isUp: false, reason: reason))
        await passing
        async let rest: Void = service.passAll()
        #expect(isUp(try await events.next()) == true)
        await rest
    }

    @Test("A probe that ignores its cancellation fails each period, and no other one begins until it has ended")
    func hanging() async throws {
        let gate = Gate()
        let service = Service([.works, .hangs(gate), .works])
        var events = try service.source().events().makeAsyncIterator()
        #expect(isUp(try await events.next()) == true)
        async let passing: Void = {
            await service.passLate()
            await service.pass(5, 5)
        }()
        let reason = "it does not answer: the probe before has not ended yet"
        #expect(try await events.next() == .service(.database, isUp: false, reason: reason))
        await passing
        #expect(service.begun.entries.count == 2)
        gate.open()
        async let rest: Void = service.passAll()
        #expect(isUp(try await events.next()) == true)
        await rest
    }

    @Test("A listener that is cancelled ends at once, and cancels its probe")
    func cancelled() async throws {
        let gate = Gate()
        let service = Service([.hangs(gate)])
        let source = try service.source()
        let task = Task { try await source.events().first { _ in true } }
        await service.begun.wait(forCount: 1)
        task.cancel()
        #expect(try await task.value == nil)
        gate.open()
    }

    @Test("In any history an event differs from the one before, and follows the last failures")
    func property() {
        var random = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<2_000 {
            let limit = Int.random(in: 1...5, using: &random)
            var machine = ServiceProbeMachine(.database, failures: limit)
            var (state, failures): (Bool?, Int) = (nil, 0)
            for probe in 0..<60 {
                let failed = Bool.random(using: &random)
                failures = failed ? failures + 1 : 0
                let expected = state == nil || failures >= limit || failures == 0 ? !failed : state
                let event = machine.take(failed ? "of probe \(probe)" : nil)
                #expect(isUp(event) == (expected == state ? nil : expected))
                state = expected
            }
        }
    }

    @Test("A parameter outside its range is refused, with its name and range")
    func parameters() {
        func expect(_ text: String, _ make: () throws -> Void) {
            let error = #expect(throws: CapabilityError.self) { try make() }
            #expect(error?.code == .capabilitySourceInvalid && error?.message.contains(text) == true, "\(error as Any)")
        }
        let probe: @Sendable () async throws -> Void = {}
        expect("period is 0.099") { _ = try ServiceProbeSource(.database, every: .milliseconds(99), probe: probe) }
        expect("0.001 seconds to 3600.0 seconds") {
            _ = try ServiceProbeSource(.database, timeout: .zero, probe: probe)
        }
        expect("failures is 0") { _ = try ServiceProbeSource(.database, failures: 0, probe: probe) }
    }
}
