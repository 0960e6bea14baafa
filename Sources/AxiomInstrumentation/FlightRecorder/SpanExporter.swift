// SPDX-License-Identifier: Apache-2.0

package import Axiom

/// Passes spans to another tracing system when they begin and end.
package protocol SpanExporter: Sendable {
    /// Returns the recorder of one component type's spans: it records each span with `recorder` and exports it.
    func probe(recordingWith recorder: any SpanProbe, _ labels: SpanLabels) -> any SpanProbe
}

/// The component of a recorder, and the names of its spans.
package struct SpanLabels: Sendable {
    /// Nil for work that the application named.
    package let component: ComponentDescriptor?
    private let actions: [String]

    init(_ component: ComponentDescriptor?, _ actions: [String]) {
        self.component = component
        self.actions = actions
    }

    /// The name that a ``Span`` has.
    package func name(_ kind: SpanKind, _ name: SpanRecord.Name) -> String {
        switch name {
        case .action(let index): actions.indices.contains(index) ? actions[index] : ActionTable.otherAction
        case .kind: kind.name
        case .call(let name): CallName.text(name)
        case .text(let text): text
        }
    }
}
