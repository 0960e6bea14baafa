// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The families of signals about navigation.
enum NavigationFamilies {
    static let transitions = SignalFamily(
        "axiom_navigation_transitions_total",
        .counter,
        help: "Requests to a flow, by route, kind of transition and outcome.",
        labels: ["flow", "route", "transition", "outcome"]
    )
    static let duration = SignalFamily(
        "axiom_navigation_duration_seconds",
        .seconds,
        help: "Time in middleware, of making screens, and of the whole request with its wait.",
        labels: ["flow", "route", "phase"]
    ).detailed(by: "route")
    static let depth = SignalFamily(
        "axiom_navigation_depth",
        .gauge,
        help: "Routes in the history of a flow.",
        labels: ["flow"]
    )
    static let live = SignalFamily(
        "axiom_navigation_live_screens",
        .gauge,
        help: "Routes in the history of a flow that have a context.",
        labels: ["flow"]
    )
    static let redirects = SignalFamily(
        "axiom_navigation_redirects_total",
        .counter,
        help: "Requests that middleware redirected, by the requested and the new route.",
        labels: ["flow", "from", "to"]
    )
}

/// The signals of one flow.
///
/// The arrival at each sample is bound at once, and so starts at 0. All other series of counters and durations are bound
/// at their first event, because the product of routes, transitions and outcomes is large. An identifier that no sample
/// has is `other`.
///
/// Flows with the same name in metrics share their series. Their depths are then a sum, to which each flow adds its changes.
@MainActor
final class NavigationSignals {
    private let orchestrator: Orchestrator
    private let flow: String
    private let identifiers: Set<String>
    private let depth: (any Signal)?
    private let live: (any Signal)?
    /// What this flow has added to the depth and to the live screens; nil if no other flow adds to them.
    private var added: (depth: Int, live: Int)?
    private var bound: [SignalFamily: [[String]: any Signal]] = [:]

    /// - Parameters:
    ///   - flow: The value of the label `flow`.
    ///   - isShared: Whether other flows have the same one.
    init(
        _ orchestrator: Orchestrator,
        flow: String,
        isShared: Bool,
        _ samples: [(identifier: String, style: TransitionStyle)]
    ) {
        self.orchestrator = orchestrator
        self.flow = flow
        added = isShared ? (0, 0) : nil
        identifiers = Set(samples.map(\.identifier))
        depth = orchestrator.signal(NavigationFamilies.depth, [flow])
        live = orchestrator.signal(NavigationFamilies.live, [flow])
        guard depth != nil else { return }
        for (identifier, style) in samples {
            _ = signal(NavigationFamilies.transitions, [identifier, style.name, "arrived"])
        }
    }

    func depth(_ depth: Int, live: Int) {
        if let added {
            self.depth?.add(depth - added.depth)
            self.live?.add(live - added.live)
            self.added = (depth, live)
            return
        }
        self.depth?.set(Double(depth))
        self.live?.set(Double(live))
    }

    func redirected(from: String, to: String) {
        signal(NavigationFamilies.redirects, [label(from), label(to)])?.increment()
    }

    /// The measurements of a request, which begins now.
    func transition<R>(of request: FlowRequest<R>, current: R) -> MeasuredTransition {
        let (route, kind) =
            switch request {
            case .open: (current, "open")
            case .show(let route): (route, route.metadata.transition.name)
            case .replace(let route): (route, "replace")
            case .back, .backTo: (current, "back")
            case .root: (current, "root")
            case .reset(let routes, _): (routes.last ?? current, "reset")
            }
        return MeasuredTransition(signals: self, route: label(route.identifier), kind: kind)
    }

    private func label(_ identifier: String) -> String {
        identifiers.contains(identifier) ? identifier : "other"
    }

    fileprivate func signal(_ family: SignalFamily, _ values: [String]) -> (any Signal)? {
        if let known = bound[family]?[values] { return known }
        guard depth != nil, let signal = orchestrator.signal(family, [flow] + values) else { return nil }
        bound[family, default: [:]][values] = signal
        return signal
    }
}

/// Records one request to a flow.
@MainActor
struct MeasuredTransition {
    /// A part of a request.
    enum Phase: String {
        case middleware
        case create
        case total
    }

    fileprivate let signals: NavigationSignals
    /// The requested route; for a way back, the route that is left.
    fileprivate let route: String
    fileprivate let kind: String

    func observe(_ phase: Phase, since start: Instant, at end: Instant) {
        let signal = signals.signal(NavigationFamilies.duration, [route, phase.rawValue])
        signal?.observe(nanoseconds: end.nanoseconds(since: start))
    }

    func ended(_ outcome: String, since start: Instant, at end: Instant) {
        signals.signal(NavigationFamilies.transitions, [route, kind, outcome])?.increment()
        observe(.total, since: start, at: end)
    }
}

extension NavigationOutcome {
    /// The outcome of a request that was redirected. Even if the new route was shown before, it is not the route that the
    /// request wanted.
    func afterRedirection(current: R) -> Self {
        switch self {
        case .arrived(let route): .redirected(to: route)
        case .unchanged: .redirected(to: current)
        case .redirected, .refused: self
        }
    }

    /// The outcome as a label.
    var name: String {
        switch self {
        case .arrived: "arrived"
        case .redirected: "redirected"
        case .refused: "refused"
        case .unchanged: "unchanged"
        }
    }
}
