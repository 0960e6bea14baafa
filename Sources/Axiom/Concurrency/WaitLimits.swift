// SPDX-License-Identifier: Apache-2.0

/// How long the framework waits for each kind of application code.
///
/// When a limit expires, the framework cancels the call, stops waiting for it and continues. A ``LifecycleError`` with
/// the code ``ErrorCode/limitExpired`` names the component, the operation and the limit. Swift cannot end a task by
/// force: a call that ignores its cancellation keeps running, and keeps its component alive.
///
/// All limits use the clock of the orchestrator. Each is longer than zero. Use ``unlimited`` for a wait that must not
/// be ended, for example under a debugger.
public struct WaitLimits: Sendable, Hashable {
    /// ``StatelessClient/activate()`` of one client. 20 s: the time that iOS gives an application to launch.
    public var activation: Duration = .seconds(20)
    /// ``StatelessClient/deactivate()`` of one client. 5 s: the time that iOS gives an application to go to the
    /// background.
    public var deactivation: Duration = .seconds(5)
    /// ``Capability/initialize()`` of one capability. 20 s, as for ``activation``.
    public var initialization: Duration = .seconds(20)
    /// ``Capability/terminate()`` of one capability. 5 s, as for ``deactivation``.
    public var termination: Duration = .seconds(5)
    /// ``Capability/isAvailable`` of one capability. 500 ms, the specification's limit of a call across actors. Its
    /// 10 ms for a first check are a performance budget: as a limit, they would make a healthy capability unavailable
    /// whenever the machine is busy.
    public var availability: Duration = .milliseconds(500)
    /// ``Context/onAppear()`` of one context. 20 s, as for ``activation``.
    public var appearance: Duration = .seconds(20)
    /// ``Context/onDisappear()`` of one context. 5 s, as for ``deactivation``.
    public var disappearance: Duration = .seconds(5)
    /// ``Context/onBackground()`` of one context. 5 s: the time that iOS gives an application to go to the background.
    public var background: Duration = .seconds(5)
    /// ``Context/onForeground()`` of one context. 5 s, as for ``background``.
    public var foreground: Duration = .seconds(5)
    /// The whole of ``Orchestrator/shutdown()``. 25 s: Kubernetes kills a container 30 s after it requested its
    /// termination.
    public var shutdown: Duration = .seconds(25)

    /// Makes the default limits.
    public init() {}

    /// A limit of 100 years.
    public static let unlimited = Duration.seconds(100 * 365 * 86_400)

    /// The limit of an operation and its name; nil for an operation that consists of others, which have their own
    /// limits.
    package func limit(for operation: TurnOperation) -> (name: String, duration: Duration)? {
        switch operation {
        case .activate: ("activation", activation)
        case .deactivate: ("deactivation", deactivation)
        case .initialize: ("initialization", initialization)
        case .terminate: ("termination", termination)
        case .availability: ("availability", availability)
        case .appear: ("appearance", appearance)
        case .disappear: ("disappearance", disappearance)
        case .background: ("background", background)
        case .foreground: ("foreground", foreground)
        case .shutdown: ("shutdown", shutdown)
        case .start, .change, .mount, .unmount, .recovery, .action: nil
        }
    }

    /// The invalid limits: one error for each limit that is not longer than zero.
    package var mistakes: [CompositionError] {
        TurnOperation.allCases.compactMap { operation in
            guard let limit = limit(for: operation), limit.duration <= .zero else { return nil }
            return CompositionError(
                .invalidLimit,
                "The limit \(limit.name) is \(limit.duration), but a limit must be longer than zero.",
                "Set a positive limit, or WaitLimits.unlimited to wait without a limit."
            )
        }
    }
}

/// A component exceeded the limit of a wait, or a wait would never have ended.
public struct LifecycleError: ErrorFamily {
    /// The facts of the error.
    package let facts: ErrorFacts

    /// Makes an error from `facts`.
    package init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Codes

extension LifecycleError {
    /// - Parameter others: The turns that the operation itself waited for.
    static func limitExpired(
        _ subject: TurnSubject,
        _ limit: String,
        _ duration: Duration,
        waitingFor others: [TurnSubject] = []
    ) -> Self {
        let reason = others.isEmpty ? "" : " It waited for: \(others.map(\.description).joined(separator: ", "))."
        return LifecycleError(
            ErrorFacts(
                .limitExpired,
                "The \(subject) did not end within \(duration).\(reason) It was cancelled and is no longer awaited.",
                recoverySuggestion:
                    "End the operation when its task is cancelled, or allow more time: WaitLimits.\(limit).",
                origin: subject.component
            )
        )
    }

    /// Whether this is the expired limit of an operation of this component.
    func isExpiry(of subject: TurnSubject) -> Bool {
        code == .limitExpired && origin == subject.component
    }

    static func waitsForItself(_ component: ComponentDescriptor, path: String, remedy: String? = nil) -> Self {
        LifecycleError(
            ErrorFacts(
                .waitsForItself,
                "The \(component) would wait for itself: \(path).",
                recoverySuggestion: remedy,
                origin: component
            )
        )
    }
}
