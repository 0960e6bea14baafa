// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import Observation

/// Where the errors of one context, or of the orchestrator, are settled (rule 19): nothing that a client throws reaches
/// the presentation as a throw, and nothing is lost.
///
/// Each error is recovered from, handed to the boundary above, or ends here, as the context's
/// ``Context/recovery(for:)`` says. What is kept here is observable, so that a presentation that reads it is rendered
/// anew when it changes.
@MainActor
@Observable
public final class ErrorBoundary {
    /// How many settled errors ``history`` keeps; the oldest give way.
    public static let historyLimit = 50
    /// How many ``notifications`` wait at most; the oldest give way.
    public static let notificationLimit = 20

    /// An error that was settled here.
    public struct Entry: Sendable {
        /// The error.
        public let error: any Error
        /// The component in which it arose, as far as that is known; else the context itself.
        public let origin: ComponentDescriptor
        /// The components that it passed, level by level, from its origin to this boundary.
        public let path: [ComponentDescriptor]
        /// When it was settled here.
        public let time: Instant
        /// What became of it.
        public let resolution: Resolution
        /// What else went wrong: the error that kept the last remedy from working.
        public let recoveryError: (any Error)?
        /// What a person can choose to do about it; see ``ErrorBoundary/choose(_:)``.
        public let options: [RecoveryOption]
    }

    /// What became of an error.
    public struct Resolution: Sendable, Hashable {
        enum Kind { case ended, recovered, propagated, cancelled }
        let kind: Kind
        /// The name of the strategy that recovered from it; nil where none did.
        public let strategy: String?

        static let ended = Self(kind: .ended, strategy: nil)
        static let propagated = Self(kind: .propagated, strategy: nil)
        static let cancelled = Self(kind: .cancelled, strategy: nil)
        static func recovered(by strategy: String) -> Self { Self(kind: .recovered, strategy: strategy) }

        /// Whether it ended here, and was counted.
        public var isEnded: Bool { kind == .ended }
        /// Whether a strategy recovered from it.
        public var isRecovered: Bool { kind == .recovered }
        /// Whether it was handed to the boundary above.
        public var isPropagated: Bool { kind == .propagated }
        /// Whether it was cancelled while a recovery strategy ran.
        public var isCancelled: Bool { kind == .cancelled }
    }

    /// The most recent error that ended here to be shown, until an action that began after it succeeds or
    /// ``dismiss()`` is called.
    public private(set) var current: Entry?
    /// How many errors have ended here.
    public private(set) var count = 0
    /// How many errors a strategy of this boundary recovered from.
    public private(set) var recoveredCount = 0
    /// The errors that were settled here, the oldest first: ``historyLimit`` at most.
    public private(set) var history: [Entry] = []
    /// How many entries have given way in ``history``.
    public private(set) var historyDropped = 0
    /// What a person should be told, the oldest first: ``notificationLimit`` at most.
    public private(set) var notifications: [ErrorNotification] = []
    /// How many notifications gave way before anybody took them away.
    public private(set) var notificationsDropped = 0
    /// Whether a strategy is at work: what an action's "trying again" shows.
    public var isRecovering: Bool { recoveries > 0 }

    private var recoveries = 0
    private var lastNotification = 0
    @ObservationIgnored let descriptor: ComponentDescriptor
    @ObservationIgnored let port: InstrumentationPort

    init(_ descriptor: ComponentDescriptor, port: InstrumentationPort) {
        self.descriptor = descriptor
        self.port = port
    }

    /// Takes the current error away: the person has seen it.
    public func dismiss() {
        // Not assigned where it is nil already: an assignment alone is a change to those who observe it.
        if current != nil { current = nil }
    }

    /// Takes a notification away: the person has seen it.
    public func dismiss(_ notification: ErrorNotification) {
        notifications.removeAll { $0.id == notification.id }
    }

    /// Does what a person chose for the current error: takes the error away and runs the option, whose own errors are
    /// settled in the context where the error arose.
    ///
    /// - Parameter option: One of the entry's ``Entry/options``; one that was not offered for an error does nothing.
    public func choose(_ option: RecoveryOption) async {
        dismiss()
        await option.perform()
    }

    /// Does what a person chose for `notification`: takes it away and runs the option, whose own errors are settled in
    /// the context where the error arose.
    ///
    /// - Parameter option: One of the notification's own; one that was not offered for an error does nothing.
    public func choose(_ option: RecoveryOption, for notification: ErrorNotification) async {
        dismiss(notification)
        await option.perform()
    }
}

// MARK: - What strategies enter

extension ErrorBoundary {
    func recoveryBegan() { recoveries += 1 }
    func recoveryEnded() { recoveries -= 1 }

    /// Keeps what became of an error. An error that ended is counted and reported, here and nowhere else.
    ///
    /// - Parameter isShown: Whether it becomes the current error.
    func record(_ entry: Entry, isShown: Bool) {
        if history.count == Self.historyLimit {
            history.removeFirst()
            historyDropped += 1
        }
        history.append(entry)
        if isShown { current = entry }
        if entry.resolution.isRecovered { recoveredCount += 1 }
        guard entry.resolution.isEnded else { return }
        count += 1
        port.observer?.ended(
            EndedError(entry.error, origin: entry.origin, boundary: descriptor, path: entry.path)
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
