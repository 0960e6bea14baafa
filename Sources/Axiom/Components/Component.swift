// SPDX-License-Identifier: Apache-2.0

/// What an orchestrator makes: a capability, a client or a context.
public protocol Component: AnyObject, Sendable {
    /// The identity that the component's scope handed to its factory; stored as it came.
    ///
    /// The orchestrator compares it with the one it gave out and refuses a component that stores another's.
    nonisolated var identity: ComponentIdentity { get }

    /// The name under which metrics, errors and graphs show this type.
    ///
    /// By default the type's name without its module, qualified by the module when two registered types share it.
    static var componentName: String { get }
}

extension Component {
    /// The type's name without its module.
    public static var componentName: String {
        String(describing: Self.self)
    }
}
