// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The shared services of one orchestrator's components: the observer, the clock, and the limits of waits.
final class InstrumentationPort: Sendable {
    #if Instrumented
    /// Receives the events of the components. The framework calls it only through this port.
    let observer: (any Instrumentation)?
    #else
    /// Always nil: without the trait the observer is not even stored, and every call through here compiles to nothing.
    @inline(__always)
    var observer: (any Instrumentation)? { nil }
    #endif

    let clock: TimeSource
    let limits: WaitLimits
    /// Whether the observer accepted the orchestrator and has not been notified of its end. Changed on the main actor;
    /// relaxed, because it orders nothing else.
    private let isObserved = Atomic(false)
    /// Whether an orchestrator has started in this process. Relaxed, because it orders nothing else.
    private static let hasStarted = Atomic(false)

    init(_ observer: any Instrumentation, clock: TimeSource, limits: WaitLimits = WaitLimits()) {
        #if Instrumented
        self.observer = observer
        #endif
        self.clock = clock
        self.limits = limits
    }

    /// The recorder of a component's spans; nil if nothing records them.
    func spanProbe(for component: ComponentDescriptor, actions: [String] = []) -> (any SpanProbe)? {
        (observer as? any SpanObserver)?.spanProbe(for: component, actions: actions)
    }

    /// The limit of one wait for `component`.
    func limit(_ operation: TurnOperation, of component: ComponentDescriptor) -> WaitLimit {
        WaitLimit(TurnSubject(operation, of: component), limits, clock: clock)
    }
}

// MARK: - The orchestrator's own events

extension InstrumentationPort {
    /// - Throws: The observer's error if it does not accept the orchestrator.
    func begin(_ orchestrator: ComponentIdentity) throws {
        guard let observer else { return }
        try observer.begin(orchestrator.instance())
        isObserved.store(true, ordering: .relaxed)
    }

    /// Reports how long the start took.
    func started(since start: Instant, _ orchestrator: ComponentDescriptor) {
        guard let observer else { return }
        let isFirst = !Self.hasStarted.exchange(true, ordering: .relaxed)
        let probe = observer.operationProbe(for: orchestrator)
        probe?.operationEnded(isFirst ? .coldStart : .warmStart, nanoseconds: clock.now.nanoseconds(since: start))
    }

    /// Reports the end of a period that ``begin(_:)`` began, once. Reports nothing if the observer refused the
    /// orchestrator, because it may observe another one.
    func shutDown() {
        guard let observer, isObserved.exchange(false, ordering: .relaxed) else { return }
        observer.shutDown(at: clock.now)
    }
}
