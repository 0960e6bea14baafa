// SPDX-License-Identifier: Apache-2.0

public import Observation

/// Coordination of one feature: it observes clients, handles what a person asks for, and is the boundary at which
/// errors end.
///
/// A context depends on clients and on downstream contexts. It is made for one presentation and dies with it.
@MainActor
public protocol Context: Component, Observable {
    /// What the context can be asked to do.
    associatedtype ActionType: Action = NoAction
    /// What a new instance is told beyond its dependencies, such as the identifier of what it shows. Nothing says it
    /// but a declaration: `typealias Input = Product.ID`.
    associatedtype Input: Sendable = Void

    /// Does what `action` asks. Called by ``send(_:)``, which is what a presentation uses.
    ///
    /// - Throws: What kept it from doing so; the context's ``errorBoundary`` keeps it.
    func handle(_ action: ActionType) async throws

    /// The presentation appeared. Cancelled when it disappears meanwhile. Upstream contexts hear of it before downstream ones.
    ///
    /// - Throws: What went wrong; the context's ``errorBoundary`` keeps it.
    func onAppear() async throws

    /// The presentation disappeared. Downstream contexts hear of it before upstream ones; observation has ended.
    ///
    /// - Throws: What went wrong; the context's ``errorBoundary`` keeps it.
    func onDisappear() async throws

    /// The application went to the background. Called once for each time, after `onAppear()` has returned, also when the
    /// context appears in the background.
    ///
    /// - Throws: What went wrong; the context's ``errorBoundary`` keeps it.
    func onBackground() async throws

    /// The application came back to the foreground. Called after ``onBackground()`` only.
    ///
    /// - Throws: What went wrong; the context's ``errorBoundary`` keeps it.
    func onForeground() async throws

    /// How to recover from `error`, which an operation of this context threw, or a downstream context propagated.
    ///
    /// Errors are told apart by their type and their code; see ``RecoveryStrategy``. Never asked about a cancellation,
    /// which is no error.
    func recovery(for error: any Error) -> RecoveryStrategy
}

extension Context {
    /// Nothing to do.
    public func onAppear() async throws {}

    /// Nothing to do.
    public func onDisappear() async throws {}

    /// Nothing to do.
    public func onBackground() async throws {}

    /// Nothing to do.
    public func onForeground() async throws {}

    /// ``RecoveryStrategy/surface``: the error ends here and is shown.
    public func recovery(for error: any Error) -> RecoveryStrategy { .surface }
}

extension Context where ActionType == NoAction {
    /// Never called: no value of ``NoAction`` exists.
    public func handle(_ action: NoAction) async throws {}
}
