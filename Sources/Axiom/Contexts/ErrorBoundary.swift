// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import Observation

/// Settles the errors of one context, or of the orchestrator (rule 19): an error of a client never reaches the
/// presentation as a throw, and none is lost.
///
/// The context's ``Context/recovery(for:)`` determines whether an error is recovered, passed to the boundary above, or
/// ends here. The boundary is observable, so a presentation that reads it is rendered again when it changes.
@MainActor
@Observable
public final class ErrorBoundary {
    /// How many settled errors ``history`` keeps.
    package static let historyLimit = 50
    package static let notificationLimit = 20

    /// An error that was settled here.
    public struct Entry: Sendable, Identifiable {
        /// A number that no other entry of the boundary has.
        public let id: Int
        /// The error.
        public let error: any Error
        /// The component in which it originated, if known; otherwise the context itself.
        public let origin: ComponentDescriptor
        /// The components that it passed, level by level, from its origin to this boundary.
        public let path: [ComponentDescriptor]
        /// When it was settled here.
        public let time: Instant
        /// How it was settled.
        public let resolution: Resolution
        /// The error that made the last remedy fail.
        public let recoveryError: (any Error)?
        /// The user's options; see ``ErrorBoundary/choose(_:)``. Only the boundary's current entry has any.
        public fileprivate(set) var options: [RecoveryOption] = []
        /// The chain of the error's causes; nil if it has no cause.
        let chain: ErrorChain?
        /// The span of the failed operation; ``SpanContext/none`` if it is not recorded.
        let span: SpanContext
    }

    /// How an error was settled.
    public enum Resolution: Sendable, Hashable {
        /// It ended here, and was counted.
        case ended
        /// A strategy recovered from it.
        case recovered(by: String)
        /// It was passed to the boundary above.
        case propagated
        /// It was cancelled while a recovery strategy ran.
        case cancelled

        package var isRecovered: Bool {
            if case .recovered = self { true } else { false }
        }
    }

    /// The most recent error that ended here and is shown, until an action that began after it succeeds or
    /// ``dismiss()`` is called.
    public private(set) var current: Entry?
    /// How many errors have ended here.
    public private(set) var count = 0
    /// How many errors the strategies of this boundary recovered from.
    public private(set) var recoveredCount = 0
    /// The errors that were settled here, the oldest first: at most 50. The oldest are dropped.
    public private(set) var history: [Entry] = []
    /// How many entries ``history`` has dropped.
    public private(set) var historyDropped = 0
    /// The notifications for the user, the oldest first: at most 20. The oldest are dropped.
    public private(set) var notifications: [ErrorNotification] = []
    /// How many notifications were dropped before they were dismissed.
    public private(set) var notificationsDropped = 0
    /// Whether a recovery strategy runs, for a "trying again" indicator of an action.
    public var isRecovering: Bool { recoveries > 0 }

    /// ``count`` and whether there is a ``current`` error, for the framework: not read by an observer.
    var endedCount: Int { _count }
    var isShowing: Bool { _current != nil }

    private var recoveries = 0
    private var lastNotification = 0
    @ObservationIgnored let descriptor: ComponentDescriptor
    @ObservationIgnored let port: InstrumentationPort

    init(_ descriptor: ComponentDescriptor, port: InstrumentationPort) {
        self.descriptor = descriptor
        self.port = port
    }

    /// Removes the current error. Call it when the user has seen the error.
    public func dismiss() {
        // Not assigned if it is nil already: observers see every assignment as a change.
        if current != nil { current = nil }
    }

    /// Removes a notification. Call it when the user has seen it.
    public func dismiss(_ notification: ErrorNotification) {
        notifications.removeAll { $0.id == notification.id }
    }

    /// Runs the option that the user chose for the current error, and removes the error. The errors of the option are
    /// settled in the context where the error originated.
    ///
    /// - Parameter option: One of the entry's ``Entry/options``. An option that was not offered for an error does
    ///   nothing.
    /// - Returns: The outcome of the option; `rejected` if it was not offered, or its context is gone.
    @discardableResult
    public func choose(_ option: RecoveryOption) async -> ActionOutcome {
        dismiss()
        return await option.perform()
    }

    /// Runs the option that the user chose for `notification`, and removes the notification. The errors of the option
    /// are settled in the context where the error originated.
    ///
    /// - Parameter option: One of the notification's own. An option that was not offered for an error does nothing.
    /// - Returns: As ``choose(_:)``.
    @discardableResult
    public func choose(_ option: RecoveryOption, for notification: ErrorNotification) async -> ActionOutcome {
        dismiss(notification)
        return await option.perform()
    }

    // MARK: - Records of strategies

    func recoveryBegan() { recoveries += 1 }
    func recoveryEnded() { recoveries -= 1 }

    /// Records how an error was settled. An error that ended is counted and reported here, and nowhere else.
    ///
    /// - Parameter options: The options with which it becomes the current error; nil if it is not shown. The history does
    ///   not keep them: each holds the failed operation.
    func record(_ entry: Entry, shownWith options: [RecoveryOption]? = nil) {
        if history.count == Self.historyLimit {
            history.removeFirst()
            historyDropped += 1
        }
        history.append(entry)
        if let options {
            var shown = entry
            shown.options = options
            current = shown
        }
        if entry.resolution.isRecovered { recoveredCount += 1 }
        guard entry.resolution == .ended else { return }
        count += 1
        port.ended(
            EndedError(
                entry.error,
                origin: entry.origin,
                boundary: descriptor,
                path: entry.path,
                chain: entry.chain,
                span: entry.span
            )
        )
    }

    func notify(_ message: String, about error: any Error, options: [RecoveryOption]) {
        if notifications.count == Self.notificationLimit {
            notifications.removeFirst()
            notificationsDropped += 1
        }
        lastNotification += 1
        notifications.append(
            ErrorNotification(
                id: lastNotification,
                message: message,
                error: error,
                time: port.clock.now,
                options: options
            )
        )
    }
}

/// The orchestrator's side of errors: its boundary, above that of every context.
@MainActor
final class Supervisor {
    let boundary: ErrorBoundary
    /// The recovery strategy for errors that reach this boundary.
    var recovery: @MainActor (any Error) -> RecoveryStrategy = { _ in .surface }
    /// What is under way, for tests.
    nonisolated let quiescence = Quiescence()
    /// Whether the application is in the background. Contexts that appear later read it.
    var isInBackground = false

    init(_ boundary: ErrorBoundary) { self.boundary = boundary }

    /// Settles an error that a context propagated, or one of a phase of the orchestrator itself.
    func settle(_ operation: FailedOperation) async -> ActionOutcome {
        operation.rise(to: boundary.descriptor)
        return await boundary.settle(operation, by: recovery(operation.error))
    }

    /// Settles an error of `component` that could not be thrown and has no operation to run again.
    func report(_ error: any Error, in component: ComponentDescriptor) async {
        _ = await settle(failure(error, in: component, again: nil))
    }

    /// Describes the failure of `component` in a phase of the orchestrator.
    func failure(
        _ error: any Error,
        in component: ComponentDescriptor,
        _ trail: ErrorTrail = ErrorTrail(),
        again: FailedOperation.Body?
    ) -> FailedOperation {
        FailedOperation(
            error,
            in: component,
            trail: trail,
            clock: boundary.port.clock,
            container: { [weak self] body in await self?.contain(body, in: component) ?? .rejected },
            body: again
        )
    }

    /// Runs the option that the user chose for an error, and settles the error that it throws.
    private func contain(
        _ body: @escaping FailedOperation.Body,
        in component: ComponentDescriptor
    ) async -> ActionOutcome {
        let trail = ErrorTrail()
        do {
            try await trail.run(body)
            return .success
        } catch {
            guard ActionOutcome(ofError: error) != .cancelled else { return .cancelled }
            return await settle(failure(error, in: component, trail, again: body))
        }
    }
}
