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
    /// ``StatelessClient/activate()`` of one client, and ``ObservationAwareClient/whenObserved()``. 20 s: the time that iOS gives an application to launch.
    public var activation: Duration = .seconds(20)
    /// ``StatelessClient/deactivate()`` of one client, ``ObservationAwareClient/whenUnobserved()``, and the saving of one
    /// persistent state in the background and at the shutdown. 5 s: the time that iOS gives an application to go to the
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
    /// ``PressureRelieving/relieve(_:_:)`` of one object. 5 s, as for ``background``.
    public var relief: Duration = .seconds(5)
    /// The wait of ``Orchestrator/shutdown()`` for the requests that run. Then sessions are cancelled; other requests are not,
    /// and find their clients ended. 10 s: most of the time that a shutdown has is left for the components.
    public var requests: Duration = .seconds(10)
    /// The whole of ``Orchestrator/shutdown()``. 25 s: Kubernetes kills a container 30 s after it requested its
    /// termination.
    public var shutdown: Duration = .seconds(25)

    /// How long an action of a client may run, without the time in which it waits in
    /// ``CapabilityRef/call(isolation:function:_:)``, before the watchdog names it. Nil, the default, for no watchdog.
    ///
    /// Nothing is cancelled: the action is listed in ``Orchestrator/overdueActions`` and counted in
    /// `axiom_client_overdue_total`. The specification's limit is 500 ms. A watched action costs about 0.1 µs more.
    public var overdue: Duration?

    /// Makes the default limits.
    public init() {}

    /// A limit of 100 years.
    public static let unlimited = Duration.seconds(100 * 365 * 86_400)

    /// Limits that never expire, for tests with the live clock. Hundreds of tests share the main actor of a process, so
    /// on a busy machine a component may wait longer than any limit of an application.
    package static let endless: WaitLimits = {
        var limits = WaitLimits()
        (limits.activation, limits.deactivation) = (unlimited, unlimited)
        (limits.initialization, limits.termination) = (unlimited, unlimited)
        (limits.appearance, limits.disappearance) = (unlimited, unlimited)
        (limits.background, limits.foreground) = (unlimited, unlimited)
        (limits.availability, limits.relief, limits.shutdown) = (unlimited, unlimited, unlimited)
        limits.requests = unlimited
        return limits
    }()

    /// The limit of an operation and its name; nil for one that consists of others, which have their own limits.
    package func limit(for operation: TurnOperation) -> (name: String, duration: Duration)? {
        switch operation {
        case .activate, .observe: ("activation", activation)
        case .deactivate, .unobserve, .save: ("deactivation", deactivation)
        case .initialize: ("initialization", initialization)
        case .terminate: ("termination", termination)
        case .availability: ("availability", availability)
        case .appear: ("appearance", appearance)
        case .disappear: ("disappearance", disappearance)
        case .background: ("background", background)
        case .foreground: ("foreground", foreground)
        case .relieve: ("relief", relief)
        case .drain: ("requests", requests)
        case .shutdown: ("shutdown", shutdown)
        case .start, .change, .mount, .cover, .uncover, .unmount, .navigation, .recovery, .action, .flight: nil
        }
    }

    /// The invalid limits: one error for each limit that is not longer than zero.
    package var mistakes: [CompositionError] {
        // The others have the limits of `activate` and `deactivate`.
        let operations = TurnOperation.allCases.filter { ![.observe, .unobserve, .save].contains($0) }
        let limits = operations.compactMap(limit) + (overdue.map { [("overdue", $0)] } ?? [])
        return limits.compactMap { limit in
            guard limit.duration <= .zero else { return nil }
            return .invalidLimit(limit.name, limit.duration)
        }
    }
}

extension CompositionError {
    /// A limit that is not longer than zero.
    package static func invalidLimit(_ name: String, _ duration: Duration) -> Self {
        CompositionError(
            .invalidLimit,
            "The limit \(name) is \(duration), but a limit must be longer than zero.",
            "Set a positive limit, or WaitLimits.unlimited to wait without a limit."
        )
    }
}

/// A component exceeded the limit of a wait, or a wait would never have ended.
public struct LifecycleError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    /// - Parameter others: The turns that the operation itself waited for.
    static func limitExpired(
        _ subject: TurnSubject,
        _ limit: String,
        _ duration: Duration,
        waitingFor others: [TurnSubject] = []
    ) -> Self {
        if subject.operation == .drain {
            return LifecycleError(
                .limitExpired,
                "Requests of the \(subject.component) still run after \(duration). The shutdown no longer waits for them.",
                recoverySuggestion: "Give requests a time limit, or allow more time: WaitLimits.requests.",
                origin: subject.component
            )
        }
        let reason = others.isEmpty ? "" : " It waited for: \(others.map(\.description).joined(separator: ", "))."
        return LifecycleError(
            .limitExpired,
            "The \(subject) did not end within \(duration).\(reason) It was cancelled and is no longer awaited.",
            recoverySuggestion:
                "End the operation when its task is cancelled, or allow more time: WaitLimits.\(limit).",
            origin: subject.component
        )
    }

    /// Whether this is the expired limit of an operation of this component.
    func isExpiry(of subject: TurnSubject) -> Bool {
        code == .limitExpired && origin == subject.component
    }

    static func waitsForItself(_ component: ComponentDescriptor, path: String, remedy: String? = nil) -> Self {
        LifecycleError(
            .waitsForItself,
            "The \(component) would wait for itself: \(path).",
            recoverySuggestion: remedy,
            origin: component
        )
    }
}
