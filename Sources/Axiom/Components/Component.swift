// SPDX-License-Identifier: Apache-2.0

/// What an orchestrator makes: a capability, a client or a context.
public protocol Component: AnyObject, Sendable {
    /// The identity that the component's scope handed to its factory; stored as it came.
    ///
    /// The orchestrator compares it with the one it gave out and refuses a component that stores another's.
    nonisolated var identity: ComponentIdentity { get }

    /// The name under which metrics, errors and graphs show this type.
    ///
    /// By default the type's name without its module, qualified by the module when two registered types share it. It is
    /// 1 to 256 bytes long; ``Orchestrator/start()`` throws for another, and ``PresentationHost/mount(_:)`` for that of a
    /// presentation.
    ///
    /// A context is isolated to the main actor and this is not, so a context overrides it as
    /// `nonisolated static let componentName = "Cart"`.
    static var componentName: String { get }
}

extension Component {
    /// The type's name without its module.
    public static var componentName: String {
        String(describing: Self.self)
    }
}
