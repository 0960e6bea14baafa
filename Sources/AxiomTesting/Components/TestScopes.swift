// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// Makes one component for a unit test, without an application: its scope, and doubles of what it resolves.
///
/// ```swift
/// let scopes = TestScopes()
/// let network = scopes.simulate((any Network).self, as: FakeNetwork.self)
/// network.on("get", answer: "[]")
/// let cart = try await scopes.client { try CartClient($0) }
/// try await cart.process(.load)
/// #expect(await cart.state.items.isEmpty)
/// ```
/// The factory gets the scope of the production engine. Keep the scopes as long as the component. Nothing is observed and
/// nothing is recorded, and contexts neither appear nor render: for that there is ``TestOrchestrator``.
@MainActor
public final class TestScopes {
    /// The time of the component and of its doubles. It moves only by `advance(by:)`.
    public nonisolated let time: ManualTime
    private let orchestrator: Orchestrator
    private let reporter: FailureReporter

    /// Makes scopes that resolve nothing.
    ///
    /// - Parameter reporter: Takes the failures.
    public init(reporter: FailureReporter = .testing) {
        time = ManualTime()
        self.reporter = reporter
        orchestrator = Orchestrator(clock: .manual(time))
    }

    /// The time, for a component that takes a source of time.
    public nonisolated var clock: TimeSource { .manual(time) }

    // MARK: What the component resolves

    /// Lets the component resolve a simulated capability; see ``TestOrchestrator/simulate(_:as:requirement:)``.
    @discardableResult
    public func simulate<Exposed: Sendable, Double: SimulatedCapability>(
        _ exposed: Exposed.Type,
        as type: Double.Type
    ) -> Simulation {
        let simulation = Simulation(Double.componentName, clock, reporter) { [weak orchestrator] in
            try await orchestrator?.capabilityChanged(type, $0)
        }
        orchestrator.override(exposed) { try Double($0, simulation) }
        return simulation
    }

    /// Lets the component resolve a capability that the test writes itself.
    public func provide<Exposed: Sendable, Double: Capability>(
        _ exposed: Exposed.Type,
        _ make: @escaping @Sendable (borrowing CapabilityScope) throws -> Double
    ) {
        orchestrator.override(exposed, with: make)
    }

    /// Lets the component resolve a service.
    public func provide<Service: Sendable>(service type: Service.Type, _ service: Service) {
        orchestrator.override(service: type, with: service)
    }

    /// Lets a context resolve a double of a client in the state `initial`.
    public func client<C: Client & Component>(
        _ type: C.Type,
        _ initial: C.StateType
    ) -> TestClient<C.StateType, C.ActionType> {
        let double = TestClient<C.StateType, C.ActionType>(initial, time: time, reporter: reporter)
        orchestrator.override(type, with: double)
        return double
    }

    /// Lets a context resolve a downstream context.
    public func register<C: Context>(_ type: C.Type, _ make: @escaping @MainActor (borrowing ContextScope) throws -> C)
    where C.Input == Void {
        orchestrator.register(type, make)
    }

    // MARK: The component

    /// Makes a client. Everything that it resolves has to be there before, and scopes make one component.
    ///
    /// - Throws: `CompositionError` if something is missing, or for a second component; the error of `make`.
    public func client<C: Client & Component>(
        _ make: @escaping @Sendable (borrowing ClientScope) throws -> C
    ) async throws -> C {
        let made = Made<C>()
        orchestrator.register(C.self) { scope in try made.keep { try make(scope) } }
        return try await start(made)
    }

    /// Makes a client without state.
    ///
    /// - Throws: As for a client with state.
    public func client<C: StatelessClient & Component>(
        stateless make: @escaping @Sendable (borrowing ClientScope) throws -> C
    ) async throws -> C {
        let made = Made<C>()
        orchestrator.register(C.self) { scope in try made.keep { try make(scope) } }
        return try await start(made)
    }

    /// Makes and initializes a capability.
    ///
    /// - Throws: As ``client(_:)``; the error of its `initialize()`.
    public func capability<C: Capability>(
        _ make: @escaping @Sendable (borrowing CapabilityScope) throws -> C
    ) async throws -> C {
        let made = Made<C>()
        orchestrator.register(C.self) { scope in try made.keep { try make(scope) } }
        return try await start(made)
    }

    /// Makes a context, which does not appear: call its functions.
    ///
    /// - Throws: As ``client(_:)``.
    public func context<C: Context>(_ make: @escaping @MainActor (borrowing ContextScope) throws -> C) async throws -> C
    where C.Input == Void {
        orchestrator.register(C.self, make)
        try await orchestrator.start()
        return try orchestrator.makeContext(C.self, ())
    }

    private func start<C>(_ made: Made<C>) async throws -> C {
        try await orchestrator.start()
        if let component = made.component { return component }
        // A client that cannot be made ends at the orchestrator.
        throw made.error ?? orchestrator.errorBoundary.current?.error ?? TestError("\(C.self) was not made.")
    }
}

/// What a factory has made, or has thrown.
private final class Made<C: Sendable>: Sendable {
    private let result = Lock<Result<C, any Error>?>(nil)

    var component: C? { try? result.withLock { $0 }?.get() }
    var error: (any Error)? {
        if case .failure(let error) = result.withLock({ $0 }) { error } else { nil }
    }

    func keep(_ make: () throws -> C) throws -> C {
        do {
            let component = try make()
            result.withLock { $0 = .success(component) }
            return component
        } catch {
            result.withLock { $0 = .failure(error) }
            throw error
        }
    }
}
