// SPDX-License-Identifier: Apache-2.0

import Axiom
import Observation

/// Numbers as types, to make any number of component types.
enum Zero {}
enum Next<Number> {}
enum Twice<Number> {}

/// A capability of its own for each number.
actor NumberedCapability<Number>: Capability {
    /// Short for any number: the name of the type grows with it, and names are limited to 240 bytes.
    static var componentName: String { "NumberedCapability\("\(Number.self)".count)" }

    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
    }

    func use() {}
}

/// A client of its own for each number, with a state of its own.
actor NumberedClient<Number>: Client, Component {
    struct NumberedState: OwnedState { var count = 0 }

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<NumberedState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(NumberedState())
    }

    var state: NumberedState { store.state }
    nonisolated var stateStream: StateStream<NumberedState> { store.stream }
    func process(_ action: BookAction) { store.update { $0.count += 1 } }
}

/// A context for each number, which resolves that of the next; the last one resolves the first.
@MainActor
@Observable
final class CircleContext<Number>: Context {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope, next: (borrowing ContextScope) throws -> Void) throws {
        identity = scope.identity
        try next(scope)
    }
}

struct BookState: OwnedState {
    var count = 0
}

enum BookAction: Action {
    case add
    case fail
    case failBelow
    /// Waits in the client until its task is cancelled.
    case wait

    static let caseNames = ["add", "fail", "failBelow", "wait"]

    var caseIndex: Int {
        switch self {
        case .add: 0
        case .fail: 1
        case .failBelow: 2
        case .wait: 3
        }
    }
}

/// A capability whose use fails.
actor BrokenCapability: Capability {
    struct Broken: Error {}

    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
    }

    func use() throws { throw Broken() }
}

/// A client as applications have them: its state is published.
actor BookClient: Client, Component {
    struct Refused: Error {}

    nonisolated let identity: ComponentIdentity
    nonisolated let store: StateStore<BookState>
    private let broken: CapabilityRef<BrokenCapability>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.store(BookState())
        broken = try scope.capability(BrokenCapability.self)
    }

    var state: BookState { store.state }
    nonisolated var stateStream: StateStream<BookState> { store.stream }

    func process(_ action: BookAction) async throws {
        switch action {
        case .add: store.update { $0.count += 1 }
        case .fail: throw Refused()
        case .failBelow: try await broken.call { try await $0.use() }
        case .wait: try await Task.sleep(for: .seconds(3_600))
        }
    }
}

/// A context that observes the client.
@MainActor
@Observable
final class BookContext: Context {
    typealias ActionType = BookAction

    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<BookState, BookAction>
    var count = 0
    /// Called when an action that waits begins.
    @ObservationIgnored var onWait: (@MainActor () -> Void)?
    /// Called with each state that arrives.
    @ObservationIgnored var onState: (@MainActor (BookState) -> Void)?

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(BookClient.self)
    }

    func handle(_ action: BookAction) async throws {
        if case .wait = action { onWait?() }
        try await client.process(action)
    }

    func startObserving() {
        observe(client) { context, state in
            context.count = state.count
            context.onState?(state)
        }
    }
}

/// What shows the context: nothing, so that only the framework's own work is measured.
struct BookPresentation: Presentation {
    let context: BookContext
    var body: Int { context.count }
}
