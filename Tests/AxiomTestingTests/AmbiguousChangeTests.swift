// SPDX-License-Identifier: Apache-2.0

import AxiomTesting
import Testing

@MainActor
@Suite("Assigned properties whose value another one has too", .timeLimit(.minutes(10)))
struct AmbiguousChangeTests {
    private static let remedy = """
        changed isEmpty to the value of isOpen, and what the test assigns may be either.
        Assign each of them: isEmpty, isOpen.
        """

    @Test("An unchanged property does not stand for the one that a state or something else changed")
    func wrong() async {
        let texts = await failures {
            let desk = try await TestOrchestrator.desk()
            await desk.send(.add(.green))
            await desk.receive(TeaClient.self) { $0.isOpen = false }
            desk.skip()
            try desk.context.isEmpty = true
            desk.skip()
            try desk.context.isEmpty = false
            await desk.expectChange { $0.isOpen = false }
            await desk.finish()
        }
        #expect(texts == ["The state of TeaClient \(Self.remedy)", "What continued \(Self.remedy)"])
    }

    @Test("To assign each of them is accepted, and so is one whose name is known from an earlier assertion")
    func remedied() async throws {
        let desk = try await TestOrchestrator.desk()
        await desk.send(.add(.green))
        await desk.receive(TeaClient.self) {
            $0.isOpen = false
            $0.isEmpty = false
        }
        await desk.send(.load)
        await desk.receive(TeaClient.self) { $0.isEmpty = true }
        await desk.send(.add(.green))
        await desk.receive(TeaClient.self) { $0.isEmpty = false }
        await desk.finish()
    }

    @Test("A property of another type does not stand for the one that changed, also if both are nil")
    func otherType() async throws {
        let desk = try await TestOrchestrator.desk()
        try desk.context.failure = "No water"
        await desk.expectChange { $0.failure = "No water" }
        try desk.context.failure = nil
        await desk.expectChange { $0.failure = nil }
        #expect(try desk.context.selection == nil)
        await desk.finish()
    }

    @Test("A test that is not exhaustive may leave it open")
    func notExhaustive() async throws {
        let desk = try await TestOrchestrator.desk(.off)
        await desk.send(.add(.green))
        await desk.receive(TeaClient.self) { $0.isOpen = false }
        await desk.finish()
    }
}
