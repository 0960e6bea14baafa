// SPDX-License-Identifier: Apache-2.0

/// The kind of a component type, and the name under which metrics, errors and graphs show it.
public struct ComponentDescriptor: Sendable, Hashable, CustomStringConvertible {
    /// The kind of component.
    public let kind: ComponentKind
    /// The name; unique among the components of one orchestrator.
    public let name: String

    /// Makes a descriptor.
    public init(kind: ComponentKind, name: String) {
        self.kind = kind
        self.name = name
    }

    /// The kind and the name, as in `client CartClient`.
    public var description: String {
        "\(kind.rawValue) \(name)"
    }
}
