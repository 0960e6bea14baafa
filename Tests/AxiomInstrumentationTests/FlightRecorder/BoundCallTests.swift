// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Observation
import Testing

/// A binding takes memory of the task, which is freed in the reverse order: a call that frees it in another order ends the
/// process.
@Suite("Calls that bind a span", .timeLimit(.minutes(10)))
@MainActor
struct BoundCallTests {
    @Test(
        "Actions, answers and errors of all sizes leave the caller with its own span, from many tasks at once",
        arguments: [1, 2, 3]
    )
    func sizes(_ seed: UInt64) async throws {
        let app = try await SizedApp.started()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(task))
                    for _ in 0..<200 { try await app.callOne(&generator) }
                }
            }
            try await group.waitForAll()
        }
        #expect(app.telemetry.spanCounts?.contended == 0)
    }
}

/// A value of a size that is known only at run time, as far as the framework sees.
protocol Sized: Sendable, Equatable {
    init(_ number: Int)
}

extension Int: Sized {}
extension String: Sized {
    init(_ number: Int) { self = "a text that is longer than a small one: " + number.description }
}
struct NoBytes: Sized { init(_ number: Int) {} }
struct Pair<First: Sized, Second: Sized>: Sized {
    let (first, second): (First, Second)

    init(_ number: Int) { (first, second) = (First(number), Second(number + 1)) }
}
private typealias Eight = Pair<Pair<Pair<Int, Int>, Pair<Int, Int>>, Pair<Pair<Int, Int>, Pair<Int, String>>>
private typealias Large = Pair<Pair<Eight, Eight>, Pair<Eight, Pair<Eight, Eight>>>

struct SizedAction<Payload: Sized, Answer: Sized>: Action {
    let payload: Payload
    let number: Int
    let fails: Bool

    static var caseNames: [String] { ["sized"] }
    var caseIndex: Int { 0 }
}

private struct SizedFailure: Error, Equatable { let number: Int }

private actor SizedCapability: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func answer<Answer: Sized>(_ number: Int, fails: Bool) async throws -> Answer {
        await Task.yield()
        if fails { throw SizedFailure(number: number) }
        return Answer(number)
    }
}

private actor SizedClient<Payload: Sized, Answer: Sized>: StatelessClient, Component {
    static var componentName: String { "Sized\(MemoryLayout<Payload>.size)To\(MemoryLayout<Answer>.size)" }

    nonisolated let identity: ComponentIdentity
    private let capability: CapabilityRef<SizedCapability>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        capability = try scope.capability(SizedCapability.self)
    }

    func process(_ action: SizedAction<Payload, Answer>) async throws -> Answer {
        let own = OperationContext.currentSpan
        let (number, fails) = (action.number, action.fails)
        guard action.payload == Payload(number), !own.isNone else { throw SizedFailure(number: -1) }
        async let inherited = Self.inheritedSpan()
        let answer: Answer = try await capability.call { try await $0.answer(number, fails: fails) }
        guard await inherited == own, OperationContext.currentSpan == own else { throw SizedFailure(number: -2) }
        return answer
    }

    private static func inheritedSpan() async -> SpanContext {
        await Task.yield()
        return OperationContext.currentSpan
    }
}

@MainActor
@Observable
private final class SizedContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored var calls: [@Sendable (Int, Bool) async throws -> Void] = []

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        calls = [
            try Self.call(NoBytes.self, NoBytes.self, scope), try Self.call(Int.self, Large.self, scope),
            try Self.call(Large.self, Int.self, scope), try Self.call(String.self, Eight.self, scope),
            try Self.call(Eight.self, String.self, scope), try Self.call(Large.self, Large.self, scope),
        ]
    }

    private static func call<Payload: Sized, Answer: Sized>(
        _: Payload.Type,
        _: Answer.Type,
        _ scope: borrowing ContextScope
    ) throws -> @Sendable (Int, Bool) async throws -> Void {
        let client = try scope.client(SizedClient<Payload, Answer>.self)
        return { number, fails in
            let action = SizedAction<Payload, Answer>(payload: Payload(number), number: number, fails: fails)
            guard try await client.process(action) == Answer(number) else { throw SizedFailure(number: -3) }
        }
    }
}

private struct SizedApp: Sendable {
    let telemetry: Telemetry
    /// Lives as long as its clients.
    let orchestrator: Orchestrator
    let calls: [@Sendable (Int, Bool) async throws -> Void]

    @MainActor
    static func started() async throws -> SizedApp {
        let telemetry = try Telemetry()
        let orchestrator = Orchestrator(instrumentation: telemetry)
        orchestrator.register(SizedCapability.self) { SizedCapability($0) }
        register(NoBytes.self, NoBytes.self, orchestrator)
        register(Int.self, Large.self, orchestrator)
        register(Large.self, Int.self, orchestrator)
        register(String.self, Eight.self, orchestrator)
        register(Eight.self, String.self, orchestrator)
        register(Large.self, Large.self, orchestrator)
        orchestrator.register(SizedContext.self) { try SizedContext($0) }
        try await orchestrator.start()
        let calls = try orchestrator.makeContext(SizedContext.self).calls
        return SizedApp(telemetry: telemetry, orchestrator: orchestrator, calls: calls)
    }

    @MainActor
    private static func register<Payload: Sized, Answer: Sized>(
        _: Payload.Type,
        _: Answer.Type,
        _ orchestrator: Orchestrator
    ) {
        orchestrator.register(SizedClient<Payload, Answer>.self) { try SizedClient<Payload, Answer>($0) }
    }

    /// One call of a client, within a span or not, which succeeds or fails.
    func callOne(_ generator: inout SeededGenerator) async throws {
        let call = calls[Int.random(in: 0..<calls.count, using: &generator)]
        let number = Int.random(in: 0..<1_000_000, using: &generator)
        let (fails, isNested) = (Bool.random(using: &generator), Bool.random(using: &generator))
        if isNested {
            try await telemetry.span("outer") { try await check(call, number, fails) }
        } else {
            try await check(call, number, fails)
        }
    }

    private func check(_ call: @Sendable (Int, Bool) async throws -> Void, _ number: Int, _ fails: Bool) async throws {
        let before = OperationContext.currentSpan
        do {
            try await call(number, fails)
            #expect(!fails)
        } catch let error as SizedFailure {
            #expect(fails && error.number == number)
        }
        #expect(OperationContext.currentSpan == before)
    }
}
#endif
