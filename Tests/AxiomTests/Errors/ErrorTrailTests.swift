// SPDX-License-Identifier: Apache-2.0

import AxiomResilience
import Testing

@testable import Axiom

@Suite("Error trail")
struct ErrorTrailTests {
    private let cart = ComponentDescriptor(kind: .client, name: "CartClient")
    private let network = ComponentDescriptor(kind: .capability, name: "Network")
    private let payment = ComponentDescriptor(kind: .client, name: "PaymentClient")

    private enum Fault: Error {
        case first
        case second(Int)
    }

    /// Writes its number when it is freed.
    private final class CountedFault: Error {
        let number: Int
        let freed: Journal<Int>

        init(_ number: Int, _ freed: Journal<Int>) { (self.number, self.freed) = (number, freed) }

        deinit { freed.write(number) }
    }

    @Test("An error is found under the component that noted it, by type and content")
    func finds() {
        let trail = ErrorTrail()
        trail.note(Fault.first, from: cart)
        trail.note(Fault.second(2), from: payment)
        #expect(trail.path(of: Fault.first).first == cart)
        #expect(trail.path(of: Fault.second(2)).first == payment)
        #expect(trail.path(of: Fault.second(3)).first == nil)
        #expect(trail.path(of: SampleError("first")).first == nil)
    }

    @Test("Each fault that tasks note while the operation ends is taken or refused", .timeLimit(.minutes(10)))
    func concurrentFaults() async {
        let freed = Journal<Int>()
        for round in 0..<200 {
            let trail = ErrorTrail(collectsFaults: true)
            let (kept, taken) = await withTaskGroup(of: (kept: Int, taken: Int).self) { group in
                for task in 0..<8 {
                    group.addTask {
                        if task == 4 { return (0, trail.takeFaults().count) }
                        return (trail.noteFault(CountedFault(task, freed), from: cart) ? 1 : 0, 0)
                    }
                }
                return await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.kept, $0.1 + $1.taken) }
            }
            #expect(kept == taken, "round \(round)")
            #expect(!trail.noteFault(Fault.first, from: cart), "the operation has ended")
            #expect(trail.takeFaults().isEmpty)
        }
        #expect(freed.entries.count == 200 * 7, "a trail frees what it kept")
    }

    @Test("The first component that notes an error keeps it, however many it passes")
    func firstKeeps() {
        let trail = ErrorTrail()
        let error: any Error = Fault.first
        trail.note(error, from: cart)
        trail.note(error, from: payment)
        #expect(trail.path(of: error).first == cart)
        #expect(trail.path(of: error) == [cart, payment])
    }

    @Test("An error that is put into a new box on its way up keeps its path")
    func reboxed() {
        let trail = ErrorTrail()
        trail.note(Fault.first, from: network)
        trail.note(Fault.first, from: cart)
        #expect(trail.path(of: Fault.first) == [network, cart])
    }

    @Test("An equal error that another component throws later begins a path of its own")
    func equalErrors() {
        let trail = ErrorTrail()
        trail.note(Fault.first, from: network)
        trail.note(Fault.first, from: cart)
        trail.note(Fault.first, from: payment)
        #expect(trail.path(of: Fault.first) == [payment])
        trail.note(Fault.first, from: network)
        trail.note(Fault.first, from: payment)
        #expect(trail.path(of: Fault.first) == [network, payment])
    }

    @Test("Equal errors of two capabilities are two errors: each keeps its path")
    func equalErrorsOfTwo() {
        let trail = ErrorTrail()
        let mirror = ComponentDescriptor(kind: .capability, name: "Mirror")
        let (first, second): (any Error, any Error) = (Fault.second(1), Fault.second(1))
        trail.note(first, from: network)
        trail.note(second, from: mirror)
        #expect(trail.path(of: first) == [network])
        #expect(trail.path(of: second) == [mirror])
    }

    @Test("An error that is kept and thrown each time has the path of the last time")
    func keptError() {
        let trail = ErrorTrail()
        let error: any Error = Fault.first
        for client in [cart, payment] {
            trail.note(error, from: network)
            trail.note(error, from: client)
            #expect(trail.path(of: error) == [network, client])
        }
    }

    @Test("A loop of failing calls keeps the latest notes and does not grow without bound")
    func bounded() {
        let trail = ErrorTrail()
        for number in 0..<1000 { trail.note(Fault.second(number), from: cart) }
        #expect(trail.path(of: Fault.second(0)).first == nil)
        #expect(trail.path(of: Fault.second(999)).first == cart)
    }

    @Test("Outside of a context's operation there is no trail")
    func outside() {
        #expect(ErrorTrail.current == nil)
    }
}

@Suite("Errors of the framework")
struct FrameworkErrorTests {
    @Test("Each says its code, what happened and what can be done")
    func complete() {
        let client = ComponentDescriptor(kind: .client, name: "CartClient")
        let errors: [any AxiomError] = [
            CapabilityError.initializationFailed("Network", cause: SampleError("x")),
            CapabilityError.unavailable("Network", because: "it is gone"),
            ClientError.notStarted(client, asker: client, cause: SampleError("x")),
            CompositionError.registeredTwice("A", "B"),
        ]
        for error in errors {
            #expect(error.code.rawValue.hasPrefix("AXIOM_"))
            #expect(!error.recoverySuggestion.isEmpty)
            #expect("\(error)" == "\(error.code.rawValue): \(error.message) \(error.recoverySuggestion)")
        }
    }

    @Test("The codes are all different")
    func codes() {
        let codes: [ErrorCode] = [
            ErrorCode.capabilityInitializationFailed, ErrorCode.capabilityUnavailable, ErrorCode.clientNotStarted,
            ErrorCode.registeredTwice, ErrorCode.notRegistered, ErrorCode.stateOwnedTwice,
            ErrorCode.capabilityCycle, ErrorCode.contextCycle, ErrorCode.foreignIdentity,
            ErrorCode.wrongPhase, ErrorCode.notConforming, ErrorCode.severalMistakes,
        ]
        #expect(Set(codes).count == codes.count)
    }

    @Test("A cancellation is no failure if the task was cancelled, and any other error is one")
    func outcome() async {
        #expect(ActionOutcome(ofError: Cancellation.onPurpose) == .cancelled)
        #expect(ActionOutcome(ofError: CancellationError()) == .failure)
        #expect(ActionOutcome(ofError: SampleError("cancelled")) == .failure)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return [CancellationError() as any Error, SampleError("other")].map(ActionOutcome.init(ofError:))
        }
        #expect(await cancelled.value == [.cancelled, .failure])
    }
}
