// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Observation
import Synchronization
import Testing

/// A client with three planted races. Each comes from a state that is read before an `await` and used after it.
///
/// An ordinary run hardly ever shows them: the first action goes to the client and back once, while the second one goes there
/// and back several times before it reads. Only a thread that the system halts in that moment lets the second one overtake.
actor RaceClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let store: StateStore<RaceState>
    /// Changed, because an action that needs nothing of the actor would not go to it.
    private var passes = 0

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(RaceState())
    }

    var state: RaceState { store.state }
    nonisolated var stateStream: StateStream<RaceState> { store.stream }

    func process(_ action: RaceAction) async throws {
        switch action {
        case .pass: passes += 1
        case .add: await add()
        case .search(let text): await search(text)
        case .play: await play()
        }
    }

    /// Loses an addition that comes in between.
    private func add() async {
        let count = store.state.count
        // axiom:ignore hidden-dependency Its count keeps the optimizer from leaving out the call.
        await Prices.ask()
        store.update { $0.count = count + 1 }
    }

    /// Publishes the answer to an older question after the answer to a newer one.
    private func search(_ text: String) async {
        // axiom:ignore hidden-dependency Its count keeps the optimizer from leaving out the call.
        await Prices.ask()
        store.update { $0.found = text }
    }

    /// Starts twice if the second call comes before the first one has started.
    private func play() async {
        guard !store.state.isPlaying else { return }
        // axiom:ignore hidden-dependency Its count keeps the optimizer from leaving out the call.
        await Prices.ask()
        store.update {
            $0.isPlaying = true
            $0.starts += 1
        }
    }
}

/// Something outside of the client that it asks.
///
/// Without a suspension of its own: an ordinary run mostly goes there and back on its thread. In a schedule each way is a step,
/// and others can overtake.
private enum Prices {
    /// Changed, so that the optimizer cannot leave out the way.
    private static let questions = Atomic(0)

    @concurrent
    @inline(never)
    static func ask() async { questions.add(1, ordering: .relaxed) }
}

struct RaceState: OwnedState {
    var count = 0
    var found = ""
    var isPlaying = false
    var starts = 0
}

enum RaceAction: Action {
    case pass, add
    case search(String)
    case play
}

@MainActor
@Observable
final class RaceContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<RaceState, RaceAction>
    /// Changed after each step of a delay, so that the optimizer cannot leave out the way back to the main actor.
    @ObservationIgnored private var passes = 0

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(RaceClient.self)
    }

    /// Does an action after some steps that do nothing.
    struct Order: Action {
        let delay: Int
        let action: RaceAction

        init(delay: Int = 0, action: RaceAction) {
            (self.delay, self.action) = (delay, action)
        }

        static let caseNames = ["order"]
        var caseIndex: Int { 0 }
    }

    func handle(_ order: Order) async throws {
        for _ in 0..<order.delay {
            try await client.process(.pass)
            passes += 1
        }
        try await client.process(order.action)
    }
}

/// One of the races: two actions, and what must hold afterwards.
struct PlantedRace: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let first: RaceContext.Order
    let second: RaceContext.Order
    let holds: @Sendable (RaceState) -> Bool

    /// So many times the second action goes to the client and back before it begins. More is safer for ordinary runs, and
    /// fewer seeds find the races: of 200 about 25 with 4, 20 with 6, 13 with 8, 7 with 12.
    private static let delay = 8

    static let all = [
        PlantedRace(
            testDescription: "lost update",
            first: .init(action: .add),
            second: .init(delay: delay, action: .add)
        ) { $0.count == 2 },
        PlantedRace(
            testDescription: "order of states",
            first: .init(action: .search("t")),
            second: .init(delay: delay, action: .search("tea"))
        ) { $0.found == "tea" },
        PlantedRace(
            testDescription: "double start",
            first: .init(action: .play),
            second: .init(delay: delay, action: .play)
        ) { $0.starts == 1 },
    ]

    /// Sends both actions to a context of a new application.
    ///
    /// - Returns: Whether the race stayed hidden.
    @MainActor
    func run() async throws -> Bool {
        let orchestrator = Orchestrator()
        orchestrator.register(RaceClient.self) { RaceClient($0) }
        orchestrator.register(RaceContext.self) { try RaceContext($0) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(RaceContext.self)
        // Isolated functions, so that both tasks take their places in the order of the main actor at once.
        let sends = [first, second].map { order in { @MainActor @Sendable in _ = await context.send(order) } }
        await withTaskGroup(of: Void.self) { group in
            for send in sends { group.addTask(operation: send) }
        }
        let state = await context.client.state
        await orchestrator.shutdown()
        return holds(state)
    }
}
