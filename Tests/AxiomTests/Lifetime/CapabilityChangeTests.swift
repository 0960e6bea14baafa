// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTesting
import Testing

@testable import Axiom

/// What a test tells the lamps that an orchestrator makes, and what they say.
private final class LampControl: Sendable {
    let journal = Journal<String>()
    /// How many lamps were made; written by factories, which run one at a time.
    private let made = Lock(0)
    private let failing = Lock(false)
    /// Held up in `initialize` until it opens; the first lamp never is.
    let gate = Gate()
    let waits: Bool
    /// Whether the answer to the question for availability waits for the gate.
    let hesitates: Bool

    init(waits: Bool = false, hesitates: Bool = false) {
        self.waits = waits
        self.hesitates = hesitates
    }

    var isFailing: Bool {
        get { failing.withLock { $0 } }
        set { failing.withLock { $0 = newValue } }
    }

    func nextNumber() -> Int {
        made.withLock { made in
            made += 1
            return made
        }
    }
}

private protocol Light: Sendable {
    var number: Int { get }
}

private actor Lamp: Capability, Light {
    nonisolated let identity: ComponentIdentity
    nonisolated let number: Int
    private let control: LampControl

    init(_ scope: borrowing CapabilityScope, _ control: LampControl) {
        identity = scope.identity
        number = control.nextNumber()
        self.control = control
    }

    var isAvailable: Bool {
        get async {
            control.journal.write("asked \(number)")
            if control.hesitates { await control.gate.wait() }
            return true
        }
    }

    func initialize() async throws {
        control.journal.write("begin \(number)")
        if control.waits, number > 1 { await control.gate.wait() }
        if control.isFailing { throw SampleError("no power") }
        control.journal.write("initialized \(number)")
    }

    func terminate() async { control.journal.write("terminated \(number)") }
}

/// Depends on the lamp.
private actor Room: Capability {
    nonisolated let identity: ComponentIdentity
    private let light: CapabilityRef<any Light>

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        light = try scope.capability((any Light).self)
    }
}

private actor Unlit: Capability {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
}

private actor OtherLamp: Capability, Light {
    nonisolated let identity: ComponentIdentity
    nonisolated let number = 100
    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
}

private protocol Heater: Sendable {}

extension Lamp: Heater {}

@MainActor
@Suite("Capabilities that change")
struct CapabilityChangeTests {
    private let time = ManualTime()
    private let orchestrator: Orchestrator
    private let light = Box<CapabilityRef<any Light>>()
    private let room = Box<CapabilityRef<Room>>()

    init() {
        orchestrator = Orchestrator(clock: .manual(time))
    }

    private func start(_ control: LampControl) async throws -> CapabilityRef<any Light> {
        orchestrator.register(Lamp.self, as: (any Light).self) { Lamp($0, control) }
        orchestrator.register(Room.self) { try Room($0) }
        keepReferences()
        try await orchestrator.start()
        return try #require(light.value)
    }

    private func keepReferences() {
        let (light, room) = (light, room)
        orchestrator.register(Keeper<any Light>.self) { try Keeper($0, (any Light).self) { light.put($0) } }
        orchestrator.register(Keeper<Room>.self) { try Keeper($0, Room.self) { room.put($0) } }
    }

    @Test("A capability registered under a protocol is resolved as that protocol")
    func underProtocol() async throws {
        let ref = try await start(LampControl())
        #expect(try ref.current().number == 1)
    }

    @Test("A capability registered as what it is not stops the start with an error that names both")
    func wrongProtocol() async throws {
        orchestrator.register(Unlit.self, as: (any Light).self) { Unlit($0) }
        let error = try await #require(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error.code == ErrorCode.notConforming)
        #expect(error.message.contains("Unlit"))
        #expect(error.message.contains("Light"))
    }

    @Test("Availability is asked once, then again after invalidate()")
    func cachedAvailability() async throws {
        let control = LampControl()
        let ref = try await start(control)
        for _ in 0..<5 { #expect(await ref.isAvailable) }
        #expect(control.journal.entries.count { $0 == "asked 1" } == 1)
        ref.invalidate()
        for _ in 0..<5 { #expect(await ref.isAvailable) }
        #expect(control.journal.entries.count { $0 == "asked 1" } == 2)
    }

    @Test(
        "Those who ask before the first answer has come share one question; a cancellation ends the wait of one alone"
    )
    func sharedQuestion() async throws {
        let control = LampControl(hesitates: true)
        let ref = try await start(control)
        let first = Task { await ref.isAvailable }
        await control.journal.wait(for: "asked 1")
        let others = (0..<8).map { _ in Task { await ref.isAvailable } }
        first.cancel()
        #expect(await first.value == false)
        control.gate.open()
        for answer in others { #expect(await answer.value) }
        #expect(control.journal.entries.count { $0 == "asked 1" } == 1)
    }

    @Test("A check after an invalidation does not get the answer of an earlier check")
    func questionOfThePast() async throws {
        let control = LampControl(hesitates: true)
        let ref = try await start(control)
        let early = Task { await ref.isAvailable }
        await control.journal.wait(for: "asked 1")
        ref.invalidate()
        let late = Task { await ref.isAvailable }
        await control.journal.wait { $0.count { $0 == "asked 1" } == 2 }
        control.gate.open()
        #expect(await early.value)
        #expect(await late.value)
        #expect(await ref.isAvailable)
        #expect(control.journal.entries.count { $0 == "asked 1" } == 2)
    }

    @Test("After each kind of change the reference finds a new instance, and the old one was terminated")
    func recreated() async throws {
        let control = LampControl()
        let ref = try await start(control)
        for (index, change) in CapabilityChange.allCases.enumerated() {
            try await orchestrator.capabilityChanged((any Light).self, change)
            #expect(try ref.current().number == index + 2)
            #expect(await ref.isAvailable)
        }
        let numbers = 1...CapabilityChange.allCases.count
        let expected = numbers.flatMap { ["terminated \($0)", "begin \($0 + 1)", "initialized \($0 + 1)"] }
        let life = control.journal.entries.filter { !$0.hasPrefix("asked") }
        #expect(life == ["begin 1", "initialized 1"] + expected)
        #expect(control.journal.entries.contains("asked 2"))
    }

    @Test("While a capability is being replaced its reference throws, and so do those to its dependents")
    func unavailableDuringReplacement() async throws {
        let control = LampControl(waits: true)
        let ref = try await start(control)
        #expect(room.value?.degradationLevel == .full)
        let change = Task { try await orchestrator.capabilityChanged(Lamp.self, .permissionGranted) }
        await control.journal.wait(for: "begin 2")
        let error = try #require(throws: CapabilityError.self) { try ref.current() }
        #expect(error.code == ErrorCode.capabilityUnavailable)
        #expect(error.message.contains("Lamp"))
        #expect(error.message.contains("permissionGranted"))
        #expect(await ref.isAvailable == false)
        #expect(room.value?.degradationLevel == .unavailable)
        control.gate.open()
        try await change.value
        #expect(try ref.current().number == 2)
        #expect(room.value?.degradationLevel == .full)
    }

    @Test("Changes that come at the same time are carried out one after the other")
    func serialised() async throws {
        let control = LampControl()
        let ref = try await start(control)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { try await orchestrator.capabilityChanged((any Light).self, .serviceRestored) }
            }
            try await group.waitForAll()
        }
        #expect(try ref.current().number == 21)
        let expected = (1...20).flatMap { ["terminated \($0)", "begin \($0 + 1)", "initialized \($0 + 1)"] }
        #expect(control.journal.entries == ["begin 1", "initialized 1"] + expected)
    }

    @Test("A capability that cannot be replaced is unavailable with the cause, and recovers with the next change")
    func failsAndRecovers() async throws {
        let control = LampControl()
        let ref = try await start(control)
        control.isFailing = true
        let error = try await #require(throws: CapabilityError.self) {
            try await orchestrator.capabilityChanged((any Light).self, .serviceLost)
        }
        #expect(error.cause as? SampleError == SampleError("no power"))
        #expect(throws: CapabilityError.self) { try ref.current() }
        #expect(ref.degradationLevel == .unavailable)
        #expect(room.value?.degradationLevel == .minimal)
        control.isFailing = false
        try await orchestrator.capabilityChanged((any Light).self, .serviceRestored)
        #expect(try ref.current().number == 3)
        #expect(ref.degradationLevel == .full)
        #expect(room.value?.degradationLevel == .full)
    }

    @Test("A shutdown waits for a change under way, and terminates the new instance")
    func shutdownDuringChange() async throws {
        try await withInterleavings(20) { try await Self().shutDownDuringChange($0) }
    }

    private func shutDownDuringChange(_ run: Interleaving) async throws {
        let control = LampControl(waits: true)
        let ref = try await start(control)
        async let change: Void = orchestrator.capabilityChanged((any Light).self, .configurationChanged)
        await control.journal.wait(for: "begin 2")
        async let shutdown: Void = orchestrator.shutdown()
        await run.quiet()
        control.gate.open()
        try await change
        await shutdown
        #expect(control.journal.entries.suffix(2) == ["initialized 2", "terminated 2"])
        #expect(throws: CapabilityError.self) { try ref.current() }
    }

    @Test("A change of what is not registered, or before the start, is an error that says so")
    func wrongChange() async throws {
        let early = try await #require(throws: CompositionError.self) {
            try await orchestrator.capabilityChanged(Unlit.self, .serviceLost)
        }
        #expect(early.code == ErrorCode.wrongPhase)
        _ = try await start(LampControl())
        let missing = try await #require(throws: CompositionError.self) {
            try await orchestrator.capabilityChanged(Unlit.self, .serviceLost)
        }
        #expect(missing.code == ErrorCode.notRegistered)
        #expect(missing.message.contains("Unlit"))
    }

    @Test("One type registered under two protocols is two capabilities with names of their own")
    func sameTypeTwice() async throws {
        let control = LampControl()
        orchestrator.register(Lamp.self, as: (any Heater).self) { Lamp($0, control) }
        let ref = try await start(control)
        let names = orchestrator.graph.nodes.filter { $0.kind == .capability }.map(\.name)
        #expect(Set(names).count == 3, "\(names)")
        try await orchestrator.capabilityChanged(Lamp.self, .serviceRestored)
        #expect(try ref.current().number == 4)
    }

    @Test("Two types registered under one protocol are a mistake that names both")
    func sameProtocolTwice() async throws {
        orchestrator.register(OtherLamp.self, as: (any Light).self) { OtherLamp($0) }
        let error = try await #require(throws: CompositionError.self) { _ = try await start(LampControl()) }
        #expect(error.code == ErrorCode.registeredTwice)
        #expect(error.message.contains("OtherLamp"))
        #expect(error.message.contains(" Lamp "))
    }

    @Test("An override takes the place of the capability that is resolved as the protocol")
    func overridden() async throws {
        let control = LampControl()
        orchestrator.register(Lamp.self, as: (any Light).self) { Lamp($0, control) }
        orchestrator.override((any Light).self) { OtherLamp($0) }
        orchestrator.register(Room.self) { try Room($0) }
        keepReferences()
        try await orchestrator.start()
        #expect(try light.value?.current().number == 100)
        #expect(control.journal.entries.isEmpty)
    }
}
