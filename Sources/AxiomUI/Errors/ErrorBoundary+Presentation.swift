// SPDX-License-Identifier: Apache-2.0

public import Axiom

extension ErrorPresentation {
    /// Presents an error that belongs to no boundary, such as that of a mount. It has no options.
    public init(_ error: any Error, labels: ErrorLabels = .fallback) {
        self.init(error, options: [], labels: labels)
    }

    /// Presents the current error of a boundary; nil if it has none.
    ///
    /// Inside the body of a presentation, this observes the boundary: a change leads to new output.
    @MainActor
    public init?(_ boundary: ErrorBoundary, labels: ErrorLabels = .fallback) {
        guard let entry = boundary.current else { return nil }
        self.init(
            entry.error,
            id: ID(source: .entry(entry.id), boundary: ObjectIdentifier(boundary)),
            options: entry.options,
            isRecovering: boundary.isRecovering,
            labels: labels
        )
    }

    /// Presents a notification of `boundary`.
    @MainActor
    init(_ notification: ErrorNotification, of boundary: ErrorBoundary, labels: ErrorLabels = .fallback) {
        self.init(
            notification.error,
            id: ID(source: .notification(notification.id), boundary: ObjectIdentifier(boundary)),
            message: notification.message,
            options: notification.options,
            labels: labels
        )
    }
}

/// What a boundary shows: its current error and its notifications, as one value.
public struct BoundaryPresentation: Sendable, Hashable {
    /// The current error; nil if there is none.
    public let error: ErrorPresentation?
    /// The notifications, the oldest first.
    public let notifications: [ErrorPresentation]
    /// Whether a recovery strategy runs, even if no error is shown.
    public let isRecovering: Bool
    /// The label for ``isRecovering``.
    public let recoveringLabel: String

    /// Presents `boundary`. Inside the body of a presentation, this observes the boundary.
    @MainActor
    public init(_ boundary: ErrorBoundary, labels: ErrorLabels = .fallback) {
        error = ErrorPresentation(boundary, labels: labels)
        notifications = boundary.notifications.map { ErrorPresentation($0, of: boundary, labels: labels) }
        isRecovering = boundary.isRecovering
        recoveringLabel = labels.recovering
    }

    /// Whether there is nothing to show.
    public var isEmpty: Bool { error == nil && notifications.isEmpty && !isRecovering }
}

// MARK: - Choices

extension ErrorBoundary {
    /// Runs the option that the user chose in `presentation`, and removes the error or the notification. The errors of
    /// the option are settled in the context where the error originated.
    ///
    /// - Parameter id: The id of one of the presentation's options.
    /// - Returns: The outcome of the option. It is `rejected`, and nothing runs, if the presentation is not that of this
    ///   boundary, or is out of date: the error was dismissed or another one followed.
    @discardableResult
    public func choose(_ id: ErrorPresentation.Option.ID, of presentation: ErrorPresentation) async -> ActionOutcome {
        guard presentation.id.boundary == ObjectIdentifier(self) else { return .rejected }
        switch presentation.id.source {
        case .entry(let entry):
            guard let current, current.id == entry, let option = current.options.numbered(id) else { return .rejected }
            return await choose(option)
        case .notification(let number):
            guard let notification = notifications.first(where: { $0.id == number }),
                let option = notification.options.numbered(id)
            else { return .rejected }
            return await choose(option, for: notification)
        case .error:
            return .rejected
        }
    }

    /// Removes what `presentation` shows, without an option. Does nothing if the presentation is not that of this
    /// boundary, is out of date, or is not ``ErrorPresentation/isDismissable``.
    public func dismiss(_ presentation: ErrorPresentation) {
        guard presentation.isDismissable, presentation.id.boundary == ObjectIdentifier(self) else { return }
        switch presentation.id.source {
        case .entry(let entry): if current?.id == entry { dismiss() }
        case .notification(let number): notifications.filter { $0.id == number }.forEach(dismiss)
        case .error: break
        }
    }
}

extension [RecoveryOption] {
    /// The option with this number, counted from 1.
    fileprivate func numbered(_ number: Int) -> RecoveryOption? {
        // Any number may be passed, the smallest one included.
        indices.contains(number &- 1) ? self[number &- 1] : nil
    }
}
