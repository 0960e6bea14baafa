// SPDX-License-Identifier: Apache-2.0

/// An edge of the component graph: a component of one type resolved a component of another.
public struct ComponentDependency: Sendable, Hashable {
    /// The type that depends.
    public let from: ComponentDescriptor
    /// The type that it depends on.
    public let to: ComponentDescriptor

    /// Makes an edge.
    public init(from: ComponentDescriptor, to: ComponentDescriptor) {
        self.from = from
        self.to = to
    }
}
