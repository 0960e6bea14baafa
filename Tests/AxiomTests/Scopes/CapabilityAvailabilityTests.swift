// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

/// What the sensors of a test say; the gates hold up what an instance is asked.
private final class SensorControl: Sendable {
    let journal = Journal<String>()
    /// By instance, the first is 1.
    let gates = [Gate(), Gate(), Gate()]
    private let made = Lock(0)
    let answers: @Sendable (Int) -> Bool
    /// Whether an instance answers without its gate.
    let isQuick: @Sendable (Int) -> Bool

    init(isQuick: @escaping @Sendable (Int) -> Bool = { _ in false }, answers: @escaping @Sendable (Int) -> Bool) {
        self.isQuick = isQuick
        self.answers = answers
    }

    func nextNumber() -> Int {
        made.withLock { made in
            made += 1
            return made
        }
    }
}

private actor Sensor: Capability {
    nonisolated let identity: ComponentIdentity
    nonisolated let number: Int
    private let control: SensorControl

    init(_ scope: borrowing CapabilityScope, _ control: SensorControl) {
        identity = scope.identity
        number = control.nextNumber()
        self.control = control
    }

    var isAvailable: Bool {
        get async {
            control.journal.write("asked \(number)")
            if !control.isQuick(number) { await control.gates[number - 1].wait() }
            return control.answers(number)
        }
    }
}

@MainActor
@Suite("Availability of a capability", .timeLimit(.minutes(10)))
struct CapabilityAvailabilityTests {
    private let time = ManualTime()
    private let orchestrator: Orchestrator

    init() {
        orchestrator = Orchestrator(clock: .manual(time))
    }

    private func start(_ control: SensorControl) async throws -> CapabilityRef<Sensor> {
        let box = Box<CapabilityRef<Sensor>>()
        orchestrator.register(Sensor.self) { Sensor($0, control) }
        orchestrator.register(Keeper<Sensor>.self) { try Keeper($0, Sensor.self) { box.put($0) } }
        try await orchestrator.start()
        return try #require(box.value)
    }

    @Test("A check without an answer within 500 ms is an error of its own, and isAvailable is false (CAP-29)")
    func limit() async throws {
        let control = SensorControl { _ in true }
        let ref = try await start(control)
        let check = Task { try await ref.checkAvailability() }
        let simple = Task { await ref.isAvailable }
        await time.waitForSleepers(2)
        await until { ref.slot.state.withLock { $0.availability.waiterCount } == 2 }
        time.advance(by: .nanoseconds(499_999_999))
        #expect(time.sleeperCount == 2)
        time.advance(by: .nanoseconds(1))
        let error = try await #require(throws: CapabilityError.self) { try await check.value }
        #expect(error.code == .capabilityTimedOut)
        #expect(error.message == "The capability Sensor did not answer within 0.5 seconds.")
        #expect(await simple.value == false)
        #expect(control.journal.entries == ["asked 1"])
    }

    @Test("An answer that comes after the limit is kept for the calls that follow")
    func lateAnswer() async throws {
        let control = SensorControl { _ in true }
        let ref = try await start(control)
        let early = Task { await ref.isAvailable }
        await time.waitForSleepers(1)
        time.advance(by: .milliseconds(500))
        #expect(await early.value == false)
        let late = Task { await ref.isAvailable }
        await time.waitForSleepers(1)
        control.gates[0].open()
        #expect(await late.value)
        #expect(control.journal.entries == ["asked 1"])
    }

    @Test("Those who wait for an instance that is replaced get the answer of the new one", arguments: [true, false])
    func replaced(answer: Bool) async throws {
        let control = SensorControl(isQuick: { $0 > 1 }, answers: { $0 == 1 ? !answer : answer })
        let ref = try await start(control)
        let waiting = (0..<3).map { _ in Task { try await ref.checkAvailability() } }
        await until { ref.slot.state.withLock { $0.availability.waiterCount } == 3 }
        await control.journal.wait(for: "asked 1")
        try await orchestrator.capabilityChanged(Sensor.self, .serviceRestored)
        for check in waiting { #expect(try await check.value == answer) }
        control.gates[0].open()
        #expect(try await ref.checkAvailability() == answer)
        #expect(control.journal.entries == ["asked 1", "asked 2"])
    }

    @Test("A caller that is cancelled stops waiting at once, and no other does")
    func cancelled() async throws {
        let control = SensorControl { _ in true }
        let ref = try await start(control)
        let one = Task { try await ref.checkAvailability() }
        let other = Task { try await ref.checkAvailability() }
        await time.waitForSleepers(2)
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        control.gates[0].open()
        #expect(try await other.value)
    }

    @Test("Those who wait when the application is shut down, or the capability fails, find it unavailable")
    func ended() async throws {
        let ref = try await start(SensorControl { _ in true })
        let waiting = Task { try await ref.checkAvailability() }
        await time.waitForSleepers(1)
        await orchestrator.shutdown()
        #expect(try await waiting.value == false)
        #expect(try await ref.checkAvailability() == false)
    }

    @Test("The limit is that of the orchestrator")
    func ownLimit() async throws {
        var limits = WaitLimits()
        limits.availability = .seconds(3)
        let orchestrator = Orchestrator(clock: .manual(time), limits: limits)
        let box = Box<CapabilityRef<Sensor>>()
        let control = SensorControl { _ in true }
        orchestrator.register(Sensor.self) { Sensor($0, control) }
        orchestrator.register(Keeper<Sensor>.self) { try Keeper($0, Sensor.self) { box.put($0) } }
        try await orchestrator.start()
        let ref = try #require(box.value)
        let check = Task { try await ref.checkAvailability() }
        await time.waitForSleepers(1)
        time.advance(by: .milliseconds(2_999))
        #expect(time.sleeperCount == 1)
        time.advance(by: .milliseconds(1))
        let error = try await #require(throws: CapabilityError.self) { try await check.value }
        #expect(error.message.contains("3.0 seconds"))
    }

    @Test("In random histories each caller is answered once, by the question that it waits for", arguments: 0..<200)
    func model(seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        var machine = CapabilityAvailability()
        var waiters: [CapabilityAvailability.Waiter] = []
        var answered: [CapabilityAvailability.Waiter] = []
        var open: Set<CapabilityAvailability.Question> = []
        /// What later callers have to find, as far as there is an answer.
        var known: Bool?
        var present: CapabilityAvailability.Question?
        func finish(_ list: [CapabilityAvailability.Waiter]) {
            for waiter in list { #expect(!answered.contains { $0 === waiter }, "seed \(seed)") }
            answered += list
            waiters.removeAll { waiter in list.contains { $0 === waiter } }
        }
        for _ in 0..<60 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let waiter = CapabilityAvailability.Waiter()
                switch machine.ask(waiter) {
                case .known(let answer): #expect(answer == known, "seed \(seed)")
                case .asked:
                    #expect(known == nil && present != nil, "seed \(seed)")
                    waiters.append(waiter)
                case .new(let question):
                    #expect(known == nil && present == nil && open.insert(question).inserted, "seed \(seed)")
                    present = question
                    waiters.append(waiter)
                }
            case 4..<7:
                guard let question = open.randomElement(using: &random) else { continue }
                let answer = Bool.random(using: &random)
                open.remove(question)
                if question == present { (known, present) = (answer, nil) }
                finish(machine.answered(question, answer))
            case 7:
                machine.invalidate()
                (known, present) = (nil, nil)
            case 8:
                guard let waiter = waiters.randomElement(using: &random) else { continue }
                machine.leave(waiter)
                waiters.removeAll { $0 === waiter }
            default:
                (known, present, open) = (nil, nil, [])
                if Bool.random(using: &random) {
                    finish(machine.ended())
                } else if let question = machine.replaced() {
                    #expect(!waiters.isEmpty, "seed \(seed)")
                    open.insert(question)
                    present = question
                }
            }
            #expect(machine.waiterCount == waiters.count && machine.known == known, "seed \(seed)")
        }
        for question in open { finish(machine.answered(question, true)) }
        #expect(waiters.isEmpty, "seed \(seed): each waits for a question that is under way")
    }
}
