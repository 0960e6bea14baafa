// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Outages and the attempts of a change", .timeLimit(.minutes(10)))
struct OutageTests {
    private struct Unknown: Error {}

    static let outages: [any Error & Sendable] = [
        URLError(.notConnectedToInternet), URLError(.cannotFindHost), URLError(.timedOut),
        URLError(.networkConnectionLost), POSIXError(.ECONNREFUSED), POSIXError(.ENETUNREACH), POSIXError(.EHOSTDOWN),
        NSError(
            domain: "Gateway",
            code: 1,
            userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(ECONNRESET))]
        ),
        NetworkError.noConnection(to: "shop"), NetworkError.timeout("POST", after: .seconds(1)),
        NetworkError.server("POST", status: 503), NetworkError.server("POST", status: 429),
        TimeoutError(policy: "shop", limit: .seconds(1)), CircuitError.open("shop"),
    ]

    @Test("Being offline, and a server that is down or busy, are no fault of a change", arguments: outages.indices)
    func recognised(index: Int) {
        #expect(SyncOptions.standardOutage(Self.outages[index]), "\(Self.outages[index])")
    }

    @Test("Errors that concern one change are no outage")
    func others() {
        let errors: [any Error] = [
            Unknown(), URLError(.badURL), POSIXError(.ENOENT), NetworkError.server("POST", status: 500),
            NetworkError.server("POST", status: 404), CancellationError(), NSError(domain: "Gateway", code: -1_009),
        ]
        for error in errors { #expect(!SyncOptions.standardOutage(error), "\(error)") }
    }

    /// The verdicts about a change whose attempts fail at the times of the engine, until it is set aside or `time` passed.
    private func verdicts(
        _ options: SyncOptions,
        for time: Duration,
        _ random: inout SeededGenerator,
        error: any Error
    ) -> (attempts: Int, setAsideAfter: Double?) {
        var machine = SyncMachine(options, every: .seconds(30))
        var moment = Moment(now: Instant(nanoseconds: 0), secondsSinceEpoch: 1_000)
        machine.start(at: moment.now)
        _ = machine.connected(true)
        var change = PendingChange(id: UUID(), kind: "x", key: "", payload: Data(), madeAt: 0)
        var attempts = 0
        var failing: Instant?
        while moment.secondsSinceEpoch < 1_000 + time.inSeconds {
            attempts += 1
            let wait: Duration
            switch machine.verdict(change, .failed(error), failingSince: failing, at: moment.now, using: &random) {
            case .setAside: return (attempts, moment.secondsSinceEpoch - 1_000)
            case .postpone(let delay):
                change.countAttempt(at: moment)
                failing = failing ?? moment.now
                wait = delay
            case .release(let delay): wait = delay ?? .seconds(1)
            default: wait = .seconds(1)
            }
            moment.now = moment.now.advanced(by: wait + .milliseconds(1))
            moment.secondsSinceEpoch += wait.inSeconds + 0.001
        }
        return (attempts, nil)
    }

    @Test("A weekend offline sets nothing aside, whichever error says so", arguments: outages.indices)
    func weekend(index: Int) {
        var random = SeededGenerator(seed: TestSeed.drawn())
        let result = verdicts(SyncOptions(), for: .seconds(3 * 86_400), &random, error: Self.outages[index])
        #expect(result.setAsideAfter == nil && result.attempts > 100)
    }

    @Test("An error that nobody knows sets a change aside only after the attempts and the time")
    func unknown() throws {
        var random = SeededGenerator(seed: TestSeed.drawn())
        for _ in 0..<OutboxTest.count(200) {
            var options = SyncOptions()
            options.maximumAttempts = 1 + random.index(below: 30)
            options.minimumFailureTime = .seconds(random.index(below: 100_000))
            let result = verdicts(options, for: .seconds(30 * 86_400), &random, error: Unknown())
            let time = try #require(result.setAsideAfter)
            #expect(time >= options.minimumFailureTime.inSeconds && result.attempts >= options.maximumAttempts)
        }
        let usual = verdicts(SyncOptions(), for: .seconds(30 * 86_400), &random, error: Unknown())
        #expect((86_400...87_000).contains(try #require(usual.setAsideAfter)))
    }

    @Test(
        "A wall clock that is set does not change for how long the attempts of a change have failed, also after a restart",
        arguments: [-86_400, 3_600, 1_767_225_600, -1_700_000_000]
    )
    func setClock(step: Double) async throws {
        let (storage, time) = (CrashingStorage(), ManualTime())
        let clock = TimeSource.manual(time)
        var outbox = try Outbox("orders", in: storage, clock: clock)
        let change = try await outbox.append("x", Data())
        for attempt in 0..<6 {
            let taken = try #require(await outbox.take())
            let failing = taken.failingSince.map { Moment(clock).secondsSinceEpoch - $0 }
            #expect(failing == (attempt == 0 ? nil : Double(attempt) * 100), "attempt \(attempt)")
            // A step within an attempt, and one between two of them.
            if attempt == 2 { time.stepWallClock(by: step) }
            try await outbox.postpone(change.id, for: .zero)
            time.advance(by: .seconds(100))
            if attempt == 3 { time.stepWallClock(by: -step / 2) }
            if attempt == 4 { outbox = try Outbox("orders", in: storage, clock: clock) }
            if attempt == 4 { try await outbox.load() }
        }
    }

    @Test("A wall clock that is set during the last attempt sets nothing aside before the time", arguments: [1, -1])
    func setClockInAttempt(sign: Int) async throws {
        let world = try SyncWorld { $0.maximumAttempts = 2 }
        world.answer { [time = world.time] change in
            if change.attempts == 1 { time.stepWallClock(by: Double(sign * 1_767_225_600)) }
            throw SyncWorld.Broken()
        }
        try await world.engine.start()
        world.connect(true)
        try await world.append(1)
        await world.waitForAttempts(1)
        await world.waitUntilIdle()
        world.time.advance(by: .seconds(10))
        await world.waitForAttempts(2)
        await world.waitUntilIdle()
        #expect(world.outbox.status.pending == 1 && world.outbox.status.setAside == 0)
        world.time.advance(by: .seconds(86_400))
        await world.wait { $0.setAside == 1 }
        await world.engine.stop()
    }

    @Test("The verdict compares instants: the time of the first failure by the wall clock has no part in it")
    func verdictByInstants() {
        var random = SeededGenerator(seed: TestSeed.drawn())
        var machine = SyncMachine(SyncOptions(), every: .seconds(30))
        let start = Instant(nanoseconds: 0)
        machine.start(at: start)
        _ = machine.connected(true)
        var change = PendingChange(id: UUID(), kind: "x", key: "", payload: Data(), madeAt: 0, attempts: 9)
        change.failingSince = -1_767_225_600
        for (seconds, isLast) in [(86_399, false), (86_400, true)] {
            let now = start.advanced(by: .seconds(seconds))
            let verdict = machine.verdict(change, .failed(Unknown()), failingSince: start, at: now, using: &random)
            let isSetAside = if case .setAside = verdict { true } else { false }
            #expect(isSetAside == isLast, "after \(seconds) s")
        }
    }

    @Test("A server that says when to try again does not count as an attempt")
    func busy() {
        var random = SeededGenerator(seed: TestSeed.drawn())
        var options = SyncOptions()
        options.onError = { _ in .retry(after: .seconds(60)) }
        let result = verdicts(options, for: .seconds(3 * 86_400), &random, error: Unknown())
        #expect(result.setAsideAfter == nil && result.attempts <= 3 * 1_440)
        options.onError = { _ in .retry(after: .zero) }
        let eager = verdicts(options, for: .seconds(86_400), &random, error: Unknown())
        #expect(eager.attempts < 2_000, "it is not sent again and again at once")
    }

    @Test("How long the attempts of a change fail is known after a restart, and after the clock was set back")
    func restart() async throws {
        let storage = CrashingStorage()
        let time = ManualTime()
        let outbox = try Outbox("orders", in: storage, clock: .manual(time))
        let change = try await outbox.append("x", Data())
        let first = Moment(.manual(time)).secondsSinceEpoch
        for _ in 0..<2 {
            #expect(await outbox.take()?.id == change.id)
            try await outbox.postpone(change.id, for: .zero)
            time.advance(by: .seconds(100))
        }
        let restarted = try Outbox("orders", in: storage, clock: .manual(time))
        #expect(try await restarted.pendingChanges.first?.failingSince == first)
        time.stepWallClock(by: -10_000)
        _ = await restarted.take()
        try await restarted.postpone(change.id, for: .zero)
        #expect(try await restarted.pendingChanges.first?.failingSince == first - 10_000)
        _ = await restarted.take()
        try await restarted.setAside(change.id, because: "bad")
        try await restarted.retry(change.id)
        #expect(try await restarted.pendingChanges.first?.failingSince == nil)
    }
}
