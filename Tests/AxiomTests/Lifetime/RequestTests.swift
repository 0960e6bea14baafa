// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Observation
import Testing

@testable import Axiom

private struct OddNumber: AxiomError {
    let number: Int
    var code: ErrorCode { "TEST_ODD_001" }
    var message: String { "Number \(number) is odd." }
    var recoverySuggestion: String { "Send another number." }
}

private struct SumState: OwnedState {
    var numbers: [Int] = []
}

private enum SumAction: Action {
    /// Is refused if it is odd.
    case add(Int)
    case wait

    func validate() throws(ValidationError) {
        if case .add(let number) = self, number < 0 { throw .actionRefused("the number is negative.") }
    }
}

private actor SumClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<SumState>
    private let journal: Journal<String>
    /// A time that stands still: only a cancellation ends a wait.
    private let clock = TimeSource.manual(ManualTime())

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>) {
        identity = scope.identity
        store = scope.store(SumState())
        self.journal = journal
    }

    var state: SumState { store.state }
    nonisolated var stateStream: StateStream<SumState> { store.stream }

    func process(_ action: SumAction) async throws {
        switch action {
        case .add(let number):
            await Task.yield()
            if number % 2 == 1 { throw OddNumber(number: number) }
            store.update { $0.numbers.append(number) }
        case .wait:
            journal.write("waits")
            try await clock.sleep(for: .seconds(1))
        }
    }
}

@Observable
private final class SumContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<SumState, SumAction>
    @ObservationIgnored var strategy = RecoveryStrategy.surface

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(SumClient.self)
    }

    func handle(_ action: SumAction) async throws { try await client.process(action) }
    func recovery(for error: any Error) -> RecoveryStrategy { strategy }

    func add(_ number: Int) async throws -> SumState {
        try await request(.add(number))
        return await client.state
    }
}

private struct SumPresentation: Presentation {
    let context: SumContext
    var body: Int { 0 }
}

@MainActor
@Suite("Requests to a context", .timeLimit(.minutes(10)))
struct RequestTests {
    private let journal = Journal<String>()

    private func mounted() async throws -> (PresentationHost<SumPresentation>, SumContext) {
        let journal = journal
        let orchestrator = Orchestrator(instrumentation: RecordingInstrumentation())
        orchestrator.register(SumClient.self) { SumClient($0, journal) }
        orchestrator.register(SumContext.self) { try SumContext($0) }
        try await orchestrator.start()
        let host = PresentationHost(SumPresentation.self, orchestrator) { _ in }
        try await host.mount()
        return (host, try #require(host.context))
    }

    @Test(
        "Each of many requests at once is answered with its own new state, or with its own error, which is counted once"
    )
    func answers() async throws {
        let (host, context) = try await mounted()
        var random = SeededGenerator(seed: TestSeed.drawn())
        let numbers = (0..<200).shuffled(using: &random)
        let refused = await withTaskGroup(of: Int?.self) { group in
            for number in numbers {
                group.addTask {
                    do {
                        let state = try await context.add(number)
                        #expect(state.numbers.contains(number))
                        return nil
                    } catch {
                        #expect((error as? OddNumber)?.number == number)
                        return number
                    }
                }
            }
            var refused: Set<Int> = []
            for await case .some(let number) in group { refused.insert(number) }
            return refused
        }
        #expect(refused == Set(numbers.filter { $0 % 2 == 1 }))
        #expect(await context.client.state.numbers.sorted() == numbers.filter { $0 % 2 == 0 }.sorted())
        #expect(context.errorBoundary.count == refused.count)
        await host.unmount()
    }

    @Test("An error that a recovery mended is not thrown")
    func recovered() async throws {
        let (host, context) = try await mounted()
        context.strategy = .ignore
        try await context.request(.add(1))
        #expect(context.errorBoundary.recoveredCount == 1)
        context.strategy = .surface
        await #expect(throws: OddNumber.self) { try await context.request(.add(1)) }
        await host.unmount()
    }

    @Test("An action that its validation refuses is not handled, and its refusal is thrown")
    func refused() async throws {
        let (host, context) = try await mounted()
        await #expect(throws: ValidationError.self) { try await context.request(.add(-1)) }
        #expect(await context.client.state.numbers.isEmpty)
        await host.unmount()
    }

    @Test("A request whose caller is cancelled, or whose context disappears, ends with a CancellationError")
    func cancelled() async throws {
        let (host, context) = try await mounted()
        let first = Task { try await context.request(.wait) }
        await journal.wait(for: "waits")
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await context.request(.wait) }
        await journal.wait { $0.count == 2 }
        await host.unmount()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(context.errorBoundary.count == 0)
    }

    @Test("A request to a context that has disappeared is refused with an error that says so")
    func gone() async throws {
        let (host, context) = try await mounted()
        await host.unmount()
        let error = await #expect(throws: ContextError.self) { try await context.request(.add(2)) }
        #expect(error?.code == .contextDisappeared)
    }
}
