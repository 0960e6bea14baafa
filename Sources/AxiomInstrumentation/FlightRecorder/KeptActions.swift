// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// An action of a client or context that has ended, by what its counters know of it. In nanoseconds, a duration is nearly
/// unique.
package struct MeasuredAction: Sendable, Hashable {
    package let component: String
    package let action: String
    package let nanoseconds: Int64

    package init(component: String, action: String, nanoseconds: Int64) {
        (self.component, self.action, self.nanoseconds) = (component, action, nanoseconds)
    }
}

extension FlightRecorder {
    /// The kept traces that contain these actions. Cost: a pass over the kept spans, a fraction of a millisecond for the
    /// default memory; recording an action costs nothing more.
    func keptTraces(of actions: Set<MeasuredAction>) -> [MeasuredAction: TraceID] {
        guard let least = actions.map(\.nanoseconds).min() else { return [:] }
        let durations = Set(actions.map(\.nanoseconds))
        var found: [SpanWords] = []
        kept.readEach { _, span in
            guard span.nanoseconds >= least, durations.contains(span.nanoseconds) else { return }
            if [.clientAction, .contextAction, .request, .capabilityCall].contains(span.kind) { found.append(span) }
        }
        let traces = names.describe(found, TraceNames(self)).compactMap { span in
            span.component.map { component in
                let action = MeasuredAction(
                    component: component.name,
                    action: span.name,
                    nanoseconds: span.nanoseconds
                )
                return (action, span.trace)
            }
        }
        return Dictionary(traces) { first, _ in first }.filter { actions.contains($0.key) }
    }
}
