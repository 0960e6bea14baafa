// SPDX-License-Identifier: Apache-2.0

/// A part of an application that an orchestrator creates: a capability, a client or a context.
public protocol Component: AnyObject, Sendable {
    /// The identity from the component's scope, stored unchanged.
    ///
    /// The orchestrator compares it with the identity that it issued, and rejects a component that stores another one.
    nonisolated var identity: ComponentIdentity { get }

    /// The name under which metrics, errors and graphs show this type.
    ///
    /// By default this is the type's name without its module. If two registered types share that name, the module is
    /// added. The name is 1 to 256 bytes long; otherwise ``Orchestrator/start()`` throws, or
    /// ``PresentationHost/mount(_:)`` for a presentation.
    ///
    /// A context is isolated to the main actor and this requirement is not, so a context overrides it as
    /// `nonisolated static let componentName = "Cart"`.
    static var componentName: String { get }
}

extension Component {
    /// The type's name without its module.
    public static var componentName: String {
        String(describing: Self.self)
    }
}
