// SPDX-License-Identifier: Apache-2.0

/// An edge of the component graph: a component of one type resolved a component of another.
public struct ComponentDependency: Sendable, Hashable {
    /// The dependent type.
    public let from: ComponentDescriptor
    /// The type that it depends on.
    public let to: ComponentDescriptor

    /// Makes an edge.
    public init(from: ComponentDescriptor, to: ComponentDescriptor) {
        self.from = from
        self.to = to
    }
}

extension ComponentDependency {
    /// The objection of the architecture's rules to this dependency; nil if they allow it.
    ///
    /// A scope resolves only permitted dependencies. An application therefore has a forbidden one only if it is
    /// reported by something other than a scope.
    public var objection: String? {
        switch (from.kind, to.kind) {
        case (.orchestrator, _), (.capability, .capability), (.client, .capability), (.context, .client),
            (.context, .context), (.presentation, .context):
            nil
        case (.capability, _): "a capability may use capabilities only"
        case (.client, _): "a client may use capabilities only"
        case (.context, _): "a context may use clients and contexts only"
        case (.presentation, _): "a presentation may use its context only"
        }
    }
}
