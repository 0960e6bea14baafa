// SPDX-License-Identifier: Apache-2.0

/// A phase of the application's life.
///
/// The phases are steps on a line, in this order. A change to a phase that is further away passes through the phases
/// between.
public enum AppPhase: String, Sendable, Hashable, CaseIterable {
    /// The process has started, and nothing is shown yet. The application never returns to this phase.
    case launching
    /// The application is shown and receives input.
    case active
    /// The application is shown, and receives no input. Contexts are not notified of this phase; observe the phase instead.
    case inactive
    /// The application is not shown. Its state has been saved, and it may be ended without notice.
    case background
    /// The application is being ended. It never leaves this phase.
    case terminating
}

/// The phases of one application as a pure state machine: it takes requests and returns the steps to carry out.
///
/// A newer request replaces an older one. A step under way that does not lead to the new phase is cut: its tasks
/// are cancelled, and the next step begins when they have ended. A step that was cut is repeated if the phase behind
/// it is requested again, because its work may be incomplete.
package struct LifecycleMachine: Sendable, Hashable {
    /// The way from one phase to a neighbour.
    package struct Step: Sendable, Hashable {
        package let from: AppPhase
        package let to: AppPhase
    }

    /// What a request leads to.
    package enum Answer: Sendable, Hashable {
        /// Nothing: the launch is not repeated, and the application does not return from its end.
        case ignored
        /// The phase will be reached, unless a newer request comes.
        case accepted
        /// The same, and the tasks of the step under way have to be cancelled.
        case cut
    }

    /// How a step ended.
    package enum Ending: Sendable, Hashable {
        case done
        case cut
        /// Only the launch can fail. It can be requested again.
        case failed
    }

    /// The latest phase that was reached.
    package private(set) var phase = AppPhase.launching
    /// The phase that was requested last.
    package private(set) var target = AppPhase.launching
    /// The step under way.
    package private(set) var step: Step?
    private var isCut = false
    /// The step that was cut last, until its end is known not to be needed.
    private var unfinished: Step?

    package init() {}

    /// Takes a request.
    package mutating func request(_ phase: AppPhase) -> Answer {
        guard phase != .launching, target != .terminating else { return .ignored }
        target = phase
        guard let step, !isCut, Self.next(from: step.from, to: phase) != step.to else { return .accepted }
        isCut = true
        return .cut
    }

    /// Begins the next step; nil if a step is under way or the requested phase has been reached.
    package mutating func begin() -> Step? {
        guard step == nil else { return nil }
        if let last = unfinished.take(), Self.next(from: last.from, to: target) == last.to {
            step = last
        } else {
            step = Self.next(from: phase, to: target).map { Step(from: phase, to: $0) }
        }
        return step
    }

    /// Ends the step under way. Does nothing without one.
    package mutating func end(_ ending: Ending) {
        guard let step else { return }
        self.step = nil
        isCut = false
        if ending == .cut { unfinished = step }
        if ending == .failed, target != .terminating { target = step.from }
        // A launch that did not end has shown nothing, so it has not reached its phase.
        if step.from != .launching || step.to == .terminating || ending == .done { phase = step.to }
    }

    /// The neighbour of `phase` in the direction of `target`; nil if they are the same. A launch leads
    /// directly to the end: there is nothing to save yet, and no context was notified.
    private static func next(from phase: AppPhase, to target: AppPhase) -> AppPhase? {
        guard phase != target else { return nil }
        if phase == .launching { return target == .terminating ? .terminating : .active }
        let line = AppPhase.allCases
        guard let from = line.firstIndex(of: phase), let to = line.firstIndex(of: target) else { return nil }
        return line[from < to ? from + 1 : from - 1]
    }
}
