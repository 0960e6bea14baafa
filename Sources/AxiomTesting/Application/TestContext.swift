// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import Testing

/// A context under test, mounted by the production engine.
///
/// ```swift
/// let cart = try await app.context(CartContext.self)
/// await cart.send(.add(tea)) { $0.isAdding = false }
/// await cart.receive(CartClient.self) { $0.items = [tea] }
/// await cart.finish()
/// ```
/// If the test is exhaustive, whatever it does not assert is a failure at the line that would have to assert it: changed
/// properties, states of clients, errors, actions that still run, tasks that still sleep, and contexts that stay alive.
///
/// Every function returns when nothing is under way any more, except what waits for the time or for a simulated
/// capability. Nothing is polled, and no real time passes.
@MainActor
public final class TestContext<C: Context> {
    /// A state of one client that the context has applied, and what it changed.
    struct Delivery {
        let type: ObjectIdentifier
        let state: any OwnedState
        let before: PropertyValues
        let after: PropertyValues
    }

    /// The application of the context.
    public let app: TestOrchestrator
    /// The context. The test must not keep it beyond ``finish(sourceLocation:)``.
    ///
    /// - Throws: ``TestError`` after that: there is no context any more.
    public var context: C {
        get throws(TestError) {
            if let held { return held }
            throw TestError("The context \(C.self) was read after finish(). Read it before, or finish it later.")
        }
    }
    /// What the presentation rendered, the first output first.
    public var outputs: [Any] { presented.outputs }
    /// How often the error of ``simulateError(_:sourceLocation:)`` was thrown, first runs and retries.
    public internal(set) var errorCount = 0
    /// How often ``simulateSuccess(sourceLocation:)`` has succeeded.
    public internal(set) var successCount = 0

    var held: C?
    let presented: any PresentedContext
    weak var live: C?
    let location: SourceLocation
    /// The number of the context.
    let id: UInt64
    /// The values that the test has asserted.
    var baseline: PropertyValues
    var names = PropertyNames<C>()
    var deliveries: [Delivery] = []
    var delivering: PropertyValues?
    var assertedErrors = 0
    /// The errors that were settled while the last action ran, if it succeeded all the same.
    var errorsOfSuccess = 0..<0
    /// How many actions the test has sent.
    var sentActions = 0
    var works: [TestWork] = []
    /// Whether the test of the context was finished. An object, because a `deinit` reads it.
    let hasFinished = Flag()

    init(_ context: C, _ presented: any PresentedContext, _ app: TestOrchestrator, at location: SourceLocation) {
        (held, self.presented, self.app, self.location) = (context, presented, app, location)
        (live, id) = (context, context.identity.id)
        baseline = PropertyValues(of: context)
    }

    deinit {
        guard !hasFinished.load(), app.failures.exhaustivity == .on else { return }
        app.failures.fail("The test ended without `await finish()` of the \(C.self).", at: location)
    }

    var failures: FailureRecorder { app.failures }
    var isFinished: Bool { hasFinished.load() }

    /// The context; nil and a failure if the test has finished it.
    func open(at location: SourceLocation) -> C? {
        if held == nil { failures.fail("The \(C.self) is finished. Finish it after the last assertion.", at: location) }
        return held
    }

    /// Accepts everything that has happened until now without an assertion.
    public func skip() {
        guard let held else { return }
        baseline = PropertyValues(of: held)
        deliveries = []
        assertedErrors = held.errorBoundary.historyDropped + held.errorBoundary.history.count
    }
}
