// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

struct StockState: OwnedState {
    var left = 0
}

enum StockAction: Action {
    typealias Answer = Int

    case take
    case look
    case fail(String)
}

/// A client whose actions answer. It suspends in the middle of an action, so that others run in between.
actor StockClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<StockState>
    private let shelf: CapabilityRef<Shelf>?

    init(_ scope: borrowing ClientScope, left: Int, shelf: Bool = false) throws {
        identity = scope.identity
        store = scope.store(StockState(left: left))
        self.shelf = shelf ? try scope.capability(Shelf.self) : nil
    }

    var state: StockState { store.state }
    nonisolated var stateStream: StateStream<StockState> { store.stream }

    func process(_ action: StockAction) async throws -> Int {
        switch action {
        case .take:
            let left = store.update { state in
                state.left -= 1
                return state.left
            }
            await Task.yield()
            return left
        case .look: return try await shelf?.call { await $0.light } ?? -1
        case .fail(let name): throw SampleError(name)
        }
    }
}

/// A value of a request.
enum Brightness: AppValues.Key { static let fallback = 0 }

actor Shelf: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    /// The value of the request that calls.
    var light: Int { AppValues.current[Brightness.self] }
}

enum StockRequest: Action {
    typealias Answer = Int

    case take
    /// What the values are: in the work, in the client, in a child task.
    case look
    case fail(String)
    /// Waits for the test.
    case wait(Int)
    /// The number of the work.
    case number
    /// Waits until it is cancelled.
    case sleep
    case invalid

    func validate() throws(ValidationError) {
        if case .invalid = self { throw .actionRefused("it is invalid") }
    }
}

final class StockHandler: RequestHandler {
    let identity: ComponentIdentity
    private let stock: ClientOf<StockClient>
    private let desk: Desk

    /// What the tests and the handlers share.
    final class Desk: Sendable {
        let gate = Gate()
        let journal = Journal<String>()
    }

    init(_ scope: borrowing HandlerScope, _ desk: Desk) throws {
        identity = scope.identity
        stock = try scope.client(StockClient.self)
        self.desk = desk
    }

    func handle(_ request: StockRequest, in work: borrowing WorkScope) async throws -> Int {
        switch request {
        case .take: return try await stock.process(.take)
        case .look:
            let own = work.values[Brightness.self]
            async let inherited = AppValues.current[Brightness.self]
            let (inChild, inCapability) = (await inherited, try await stock.process(.look))
            return own == inChild && own == inCapability ? own : -1
        case .fail(let name): return try await stock.process(.fail(name))
        case .wait(let number):
            desk.journal.write("wait \(number)")
            await desk.gate.wait()
            desk.journal.write("end \(number)")
            return number
        case .sleep:
            desk.journal.write("sleep")
            try await work.clock.sleep(for: .seconds(100))
            return 0
        case .number: return Int(work.id)
        case .invalid: return 0
        }
    }

    func recover(_ request: StockRequest, from error: any Error, in work: borrowing WorkScope) async throws -> Int {
        switch (error as? SampleError)?.description {
        case "mended": return 99
        case "translated": throw SampleError("the translation")
        default: throw error
        }
    }

    static func priority(of request: StockRequest) -> BulkheadPriority {
        // Asked after the validation, on which it may rely.
        if case .invalid = request { Issue.record("an invalid request has no priority") }
        return if case .take = request { .high } else { .normal }
    }

    static func timeLimit(of request: StockRequest) -> Duration? {
        if case .sleep = request { .seconds(5) } else { nil }
    }
}

/// Keeps what is reported of requests, besides everything else.
final class RequestJournal: Instrumentation {
    enum Event: Sendable, Hashable {
        case began(String)
        case refused(String)
        case ended(String, ActionOutcome)
    }

    private final class Probe: ClientProbe {
        let names: [String]
        let journal: Journal<Event>

        init(_ names: [String], _ journal: Journal<Event>) { (self.names, self.journal) = (names, journal) }

        func began(caseIndex: Int) { journal.write(.began(names[caseIndex])) }
        func refused(caseIndex: Int) { journal.write(.refused(names[caseIndex])) }
        func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
            journal.write(.ended(names[caseIndex], outcome))
        }
    }

    let requests = Journal<Event>()
    let errors = Journal<EndedError>()
    let recoveries = Journal<RecoveryReport>()

    func requestProbe<H: RequestHandler>(for handler: ComponentDescriptor, of type: H.Type) -> (any ClientProbe)? {
        Probe(H.ActionType.caseNames, requests)
    }

    func ended(_ error: EndedError) { errors.write(error) }
    func recoveryEnded(_ report: RecoveryReport) { recoveries.write(report) }
}

/// An application with one handler, on a manual time.
@MainActor
struct StockApp {
    let orchestrator: Orchestrator
    let endpoint: Endpoint<StockHandler>
    let desk = StockHandler.Desk()
    let journal = RequestJournal()
    let time = ManualTime()

    init(
        left: Int = 100,
        requests: RequestLimits = RequestLimits(),
        shutdown: Duration = .seconds(10),
        isObserved: Bool = true
    ) {
        var limits = WaitLimits.endless
        limits.requests = shutdown
        let observer: any Instrumentation = isObserved ? journal : Instrumentations()
        orchestrator = Orchestrator(instrumentation: observer, clock: .manual(time), limits: limits)
        orchestrator.register(Shelf.self) { Shelf($0) }
        orchestrator.register(StockClient.self) { try StockClient($0, left: left, shelf: true) }
        let desk = desk
        endpoint = orchestrator.register(StockHandler.self, limits: requests) { try StockHandler($0, desk) }
    }

    /// What was reported of requests; without the trait `Instrumented` nothing is.
    func expect(requests: [RequestJournal.Event], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(journal.requests.entries == (InstrumentedTrait.isOn ? requests : []), sourceLocation: sourceLocation)
    }

    /// The errors that were reported, with and without the trait `Instrumented`.
    func expect(errors: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        let reported = journal.errors.entries.map { "\($0.error)" }
        #expect(reported == errors, sourceLocation: sourceLocation)
    }

    /// Starts the application.
    func start() async throws { try await orchestrator.start() }
}
