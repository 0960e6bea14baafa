// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import Synchronization
public import Testing

/// The presentation that shows a context under test.
@MainActor
protocol PresentedContext: AnyObject {
    /// What it rendered.
    var outputs: [Any] { get }
    /// Whether the application shows the context, and not the test.
    var isShownElsewhere: Bool { get }
    func cover() async
    func uncover() async
    func unmount() async
    /// Releases the host.
    func release() async
}

/// A presentation host of the production engine.
@MainActor
final class MountedContext<P: Presentation>: PresentedContext {
    private(set) var outputs: [Any] = []
    private var host: PresentationHost<P>?

    init(_ orchestrator: Orchestrator) {
        host = PresentationHost(P.self, orchestrator) { [weak self] in self?.outputs.append($0) }
    }

    var context: P.ContextType? { host?.context }
    var isShownElsewhere: Bool { false }

    func mount(_ input: P.ContextType.Input) async throws { try await host?.mount(input) }

    func cover() async { await host?.cover() }
    func uncover() async { await host?.uncover() }
    func unmount() async { await host?.unmount() }
    func release() async { host = nil }
}

/// Shows a context that is tested without its own presentation.
struct ContextUnderTest<C: Context>: Presentation {
    let context: C
    static var componentName: String { "\(C.componentName) under test" }
    var body: Void { () }
}

/// A flag that may be read on any thread.
final class Flag: Sendable {
    private let value = Atomic(false)

    func load() -> Bool { value.load(ordering: .acquiring) }
    func store(_ new: Bool) { value.store(new, ordering: .releasing) }
}

/// A context under test without its type.
@MainActor
protocol TestedContext: AnyObject {
    var id: UInt64 { get }
    var isFinished: Bool { get }
    var liveContext: (any Context)? { get }
    func finish(sourceLocation location: SourceLocation) async
    func willApply()
    func didApply(_ state: any OwnedState)
}

extension TestContext: TestedContext {
    var liveContext: (any Context)? { live }
}

/// A context under test. The test keeps it; without that, its end is noticed.
struct WeakTestedContext {
    weak var context: (any TestedContext)?
}

/// Passes what contexts do to those that are under test, and to the monitor of their life.
@MainActor
final class ContextTaps: ContextTap {
    var contexts: [ObjectIdentifier: WeakTestedContext] = [:]
    weak var lifecycle: LifecycleMonitor?

    /// The contexts under test that are not finished, the first one first.
    var live: [any TestedContext] { contexts.values.compactMap(\.context).sorted { $0.id < $1.id } }
    var liveContexts: [any Context] { live.compactMap(\.liveContext) }

    func began(_ phase: LifecyclePhase, of context: any Context) {
        lifecycle?.record(LifecycleEvent(beginOf: phase), of: context)
    }

    func ended(_ phase: LifecyclePhase, of context: any Context) {
        lifecycle?.record(LifecycleEvent(endOf: phase), of: context)
    }

    func willApply(_ state: any OwnedState, to context: any Context) {
        contexts[ObjectIdentifier(context)]?.context?.willApply()
    }

    func didApply(_ state: any OwnedState, to context: any Context) {
        contexts[ObjectIdentifier(context)]?.context?.didApply(state)
    }
}

/// A test of one presentation under the specification's name.
public enum AxiomTestCase {
    /// Mounts a presentation, runs a scenario with its context, and finishes it.
    ///
    /// ```swift
    /// try await AxiomTestCase.test(presentation: CartView.self, configure: Shop.register) { cart in
    ///     await cart.send(.clear) { $0.items = [] }
    /// }
    /// ```
    /// - Parameters:
    ///   - presentation: The presentation, whose context takes no input.
    ///   - exhaustivity: Whether the scenario has to assert everything that happens.
    ///   - configure: Registers the components and their doubles.
    ///   - scenario: The test.
    /// - Throws: The errors of `configure`, of the mount, and of `scenario`.
    @MainActor
    public static func test<P: Presentation>(
        presentation: P.Type,
        exhaustivity: Exhaustivity = .on,
        sourceLocation location: SourceLocation = #_sourceLocation,
        configure: (TestOrchestrator) throws -> Void,
        scenario: @MainActor (TestContext<P.ContextType>) async throws -> Void
    ) async throws where P.ContextType.Input == Void {
        let app = TestOrchestrator(exhaustivity: exhaustivity)
        try configure(app)
        let context = try await app.present(presentation, (), sourceLocation: location)
        do {
            try await scenario(context)
        } catch {
            await context.abandon()
            throw error
        }
        await context.finish(sourceLocation: location)
    }
}
