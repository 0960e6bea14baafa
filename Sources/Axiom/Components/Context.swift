// SPDX-License-Identifier: Apache-2.0

public import Observation

/// Coordinates one feature: it observes clients, handles user actions, and is the boundary at which errors end.
///
/// A context depends on clients and on downstream contexts. It is created for one presentation and ends with it.
@MainActor
public protocol Context: Component, Observable {
    /// The actions of the context.
    associatedtype ActionType: Action = NoAction
    /// The input of a new instance besides its dependencies, such as the identifier of the item to show. It is not
    /// inferred; declare it: `typealias Input = Product.ID`.
    associatedtype Input: Sendable = Void

    /// Performs `action`. Called by ``send(_:)``, which presentations use.
    ///
    /// - Returns: The answer for ``request(_:)``; nothing for most actions. See ``Action/Answer``.
    /// - Throws: The error that stopped the action. The context's ``errorBoundary`` records it.
    @discardableResult
    func handle(_ action: ActionType) async throws -> ActionType.Answer

    /// Whether `action` continues when the context disappears or is covered. Default: false, the action is cancelled.
    ///
    /// An action that continues, such as one that saves a draft, is not cancelled with the task that sent it either. It
    /// keeps the context alive until it ends. A shutdown does not wait for it.
    static func outlivesContext(_ action: ActionType) -> Bool

    /// Called when the presentation appears: for the first time, and each time that a presentation which covered it has
    /// gone. Begin observations here. Cancelled if the presentation disappears before this returns. Upstream contexts are
    /// notified before downstream ones.
    ///
    /// - Throws: Any error. The context's ``errorBoundary`` records it.
    func onAppear() async throws

    /// Called when the presentation disappears, because it was unmounted or another one covers it, after observation has
    /// ended. Alternates with ``onAppear()``. Downstream contexts are notified before upstream ones.
    ///
    /// - Throws: Any error. The context's ``errorBoundary`` records it.
    func onDisappear() async throws

    /// Called once each time the application goes to the background while the context is shown, after `onAppear()` has
    /// returned, and also if the context appears in the background. A covered context is not called.
    ///
    /// - Throws: Any error. The context's ``errorBoundary`` records it.
    func onBackground() async throws

    /// Called when the application returns to the foreground, only after ``onBackground()``. If the context was covered
    /// at that time, it is called when the context appears again.
    ///
    /// - Throws: Any error. The context's ``errorBoundary`` records it.
    func onForeground() async throws

    /// Decides how to recover from `error`, which an operation of this context threw or a downstream context
    /// propagated.
    ///
    /// Distinguish errors by their type and their code; see ``RecoveryStrategy``. Never called for a cancellation,
    /// which is not an error.
    func recovery(for error: any Error) -> RecoveryStrategy
}

extension Context {
    /// No action outlives its context.
    public static func outlivesContext(_ action: ActionType) -> Bool { false }

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

/// The visible output of one context. It knows only that context and contains no logic.
///
/// `Output` is the type that the renderer takes: a string for a terminal, a tree of nodes for a page.
@MainActor
public protocol Presentation {
    /// The one context that this presentation shows.
    associatedtype ContextType: Context
    /// The type of ``body``, which the host's renderer takes.
    associatedtype Output

    /// Makes the presentation of `context`. Called by ``PresentationHost`` once for each mount.
    init(context: ContextType)

    /// The context that this presentation shows.
    var context: ContextType { get }

    /// The output for the current values of the context. The values that it reads are observed: a change leads to new
    /// output.
    var body: Output { get }

    /// The name under which metrics show this type, 1 to 256 bytes long. Default: the type's name. To change it,
    /// declare `nonisolated static let componentName = "Cart"`, or the same without `nonisolated`.
    static var componentName: String { get }
}

extension Presentation {
    /// The type's name without its module.
    public static var componentName: String { String(describing: Self.self) }
}
