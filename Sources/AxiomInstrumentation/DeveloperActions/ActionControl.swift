// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import Foundation

/// Carries out the actions of developers, and ends each when its time is over.
package final class ActionControl: Sendable {
    private struct State {
        var log = ActionLog()
        /// The configurations of breakers in shadow mode, to restore.
        var configurations: [String: CircuitBreakerConfiguration] = [:]
        var listener: (@Sendable (ActionUse) -> Void)?
    }

    let gates = FaultGates()
    private let circuits: CircuitCollector
    private let clock: TimeSource
    /// Guards every field. Breakers and gates are changed outside of it, because both call observers.
    private let state = Lock(State())
    init(_ circuits: CircuitCollector, clock: TimeSource) {
        (self.circuits, self.clock) = (circuits, clock)
    }

    /// Calls `listener` for each use and each end. It runs on any thread and must not use this object.
    package func onUse(_ listener: (@Sendable (ActionUse) -> Void)?) {
        state.withLock { $0.listener = listener }
    }

    /// The actions that are in force, in the order in which they began.
    package var inForce: [ActionInForce] {
        expire()
        return state.withLock { $0.log.inForce }
    }

    /// The actions that are in force, without ending those whose time is over: reading it runs no code of the
    /// application.
    package var present: [ActionInForce] { state.withLock { $0.log.inForce } }

    /// The latest uses, the latest last.
    package var uses: [ActionUse] { state.withLock { $0.log.uses } }

    // MARK: - Beginning

    /// Carries out an action and records it. An action on the same part of the component before it ends.
    ///
    /// - Returns: The sentence that describes it.
    /// - Throws: ``ActionRefusal`` if there is no such component.
    @discardableResult
    package func perform(_ action: DeveloperAction) throws(ActionRefusal) -> String {
        expire()
        let target = try Target(action, circuits, gates)
        let now = clock.now
        let deadline = action.duration.map { now.advanced(by: $0) }
        let sentence = action.sentence + (deadline.map { " until \(time(of: $0, from: now))" } ?? "")
        let use = state.withLock { state in
            state.log.replace(action.parts, of: action.component)
            if let deadline, let part = action.parts.first {
                state.log.begin(
                    ActionInForce(action: action, part: part, since: now, until: deadline, sentence: sentence)
                )
            }
            return state.log.add(.used, action.component, sentence, at: now)
        }
        carryOut(action, on: target, until: deadline)
        report([use])
        if let deadline { expireLater(deadline) }
        return sentence
    }

    private func carryOut(_ action: DeveloperAction, on target: Target, until deadline: Instant?) {
        let deadline = deadline ?? clock.now
        switch (action, target) {
        case (.openBreaker, .breaker(let breaker)):
            restore(breaker)
            breaker.forceOpen()
        case (.shadowBreaker, .breaker(let breaker)): shadow(breaker)
        case (.resetBreaker, .breaker(let breaker)): restore(breaker)
        case (.delay(_, let latency, _), .gate(let gate)): gate.inject(.latency(latency), until: deadline)
        case (.fail(_, let ratio, _), .gate(let gate)): gate.inject(.errors(ratio: ratio), until: deadline)
        case (.endFaults, .gate(let gate)):
            gate.end(.latency)
            gate.end(.errors)
        case (.takeAway, .gate(let gate)): gate.inject(.absence, until: deadline)
        case (.bringBack, .gate(let gate)): gate.end(.absence)
        default: break
        }
    }

    private func shadow(_ breaker: CircuitBreaker) {
        restore(breaker)
        var configuration = breaker.configuration
        let before = configuration
        configuration.mode = .shadow
        // Another mode is always valid: the rest of the configuration is in use.
        guard (try? breaker.reconfigure(configuration)) != nil else { return }
        state.withLock { $0.configurations[breaker.name] = before }
    }

    /// Closes a breaker, in the mode that it had.
    private func restore(_ breaker: CircuitBreaker) {
        if let before = state.withLock({ $0.configurations.removeValue(forKey: breaker.name) }) {
            try? breaker.reconfigure(before)
        }
        breaker.reset()
    }

    private func time(of instant: Instant, from now: Instant) -> String {
        let seconds = clock.secondsSinceEpoch + instant.seconds(since: now)
        let style = Date.ISO8601FormatStyle(timeZone: .gmt).time(includingFractionalSeconds: false)
        return Date(timeIntervalSince1970: seconds).formatted(style) + " UTC"
    }

    // MARK: - Ending

    /// Ends the actions whose time is over.
    package func expire() {
        let now = clock.now
        end(.expired) { $0.expired(at: now) }
    }

    /// Ends every action: the application or the dashboard ends.
    package func endAll() {
        end(.ended) { $0.endAll() }
    }

    private func end(_ kind: ActionUse.Kind, _ choose: @Sendable (inout ActionLog) -> [ActionInForce]) {
        let now = clock.now
        let ended = state.withLock { choose(&$0.log) }
        for action in ended { undo(action, kind, at: now) }
        let how = kind == .expired ? "its time is over" : "the application or the dashboard ended"
        let uses = state.withLock { state in
            ended.map { state.log.add(kind, $0.action.component, "\($0.action.sentence): \(how)", at: now) }
        }
        report(uses)
    }

    /// Leaves what a later action did: a fault that has not expired, and a breaker with another action in force.
    private func undo(_ ended: ActionInForce, _ kind: ActionUse.Kind, at now: Instant) {
        guard let target = try? Target(ended.action, circuits, gates) else { return }
        switch (ended.part, target) {
        case (.breaker, .breaker(let breaker)):
            let isTaken = state.withLock { state in
                state.log.inForce.contains { $0.part == .breaker && $0.action.component == ended.action.component }
            }
            if !isTaken { restore(breaker) }
        case (_, .gate(let gate)) where kind == .expired: gate.expire(at: now)
        case (.latency, .gate(let gate)): gate.end(.latency)
        case (.errors, .gate(let gate)): gate.end(.errors)
        case (.capability, .gate(let gate)): gate.end(.absence)
        default: break
        }
    }

    /// Ends the actions whose time is over at `deadline`. The task does not keep this object alive.
    private func expireLater(_ deadline: Instant) {
        _ = Alarm(at: deadline, on: clock) { [weak self] in self?.expire() }
    }

    private func report(_ uses: [ActionUse]) {
        guard !uses.isEmpty, let listener = state.withLock({ $0.listener }) else { return }
        for use in uses { listener(use) }
    }
}

/// The part of a component that an action acts on.
private enum Target {
    case breaker(CircuitBreaker)
    case gate(FaultGate)

    init(_ action: DeveloperAction, _ circuits: CircuitCollector, _ gates: FaultGates) throws(ActionRefusal) {
        let name = action.component
        switch action {
        case .openBreaker, .shadowBreaker, .resetBreaker:
            let owners = circuits.owners
            guard let breaker = circuits.all.first(where: { owners[$0.name]?.name == name }) else {
                throw ActionRefusal(message: "There is no client or context \"\(name)\" with a circuit breaker.")
            }
            self = .breaker(breaker)
        case .delay, .fail, .endFaults:
            guard let gate = gates.known(.client, name) else {
                throw ActionRefusal(message: "There is no client \"\(name)\".")
            }
            self = .gate(gate)
        case .takeAway, .bringBack:
            guard let gate = gates.known(.capability, name) else {
                throw ActionRefusal(message: "There is no capability \"\(name)\".")
            }
            self = .gate(gate)
        }
    }
}

/// The gates of all clients and capabilities.
final class FaultGates: Sendable {
    /// Guarded by its lock, which is taken when a component is registered and for an action of a developer.
    private let gates = Lock<[ComponentDescriptor: FaultGate]>([:])

    /// The gate of a component, the same one each time.
    func gate(of component: ComponentDescriptor) -> FaultGate {
        gates.withLock { gates in
            if let known = gates[component] { return known }
            let made = FaultGate(seed: .random(in: 0 ... .max))
            gates[component] = made
            return made
        }
    }

    /// The gate of a registered component; nil if there is none.
    func known(_ kind: ComponentKind, _ name: String) -> FaultGate? {
        gates.withLock { $0[ComponentDescriptor(kind: kind, name: name)] }
    }
}
