// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Synchronization

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

    func mount(_ input: P.ContextType.Input) async throws {
        try await host?.mount(input)
    }

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
