// SPDX-License-Identifier: Apache-2.0

/// The kinds of component that an orchestrator makes, from the system boundary to the user interface.
///
/// State is not one of them: it is a value that a client owns, not a component with its own life cycle.
public enum ComponentKind: String, Sendable, Hashable, CaseIterable {
    /// Access to something outside the application: network, storage, a device.
    case capability
    /// Domain logic behind an actor, with or without state.
    case client
    /// Coordination of one feature on the main actor.
    case context
    /// The application's life cycle.
    case orchestrator
    /// The visible output of one context.
    case presentation
}
