// SPDX-License-Identifier: Apache-2.0

/// The kinds of component that an orchestrator makes, from the edge of the system to its surface.
///
/// State is not among them: it is a value that a client owns, not a component with a life of its own.
public enum ComponentKind: String, Sendable, Hashable, CaseIterable {
    /// Access to something outside the application: network, storage, a device.
    case capability
    /// Domain logic behind an actor, with or without state.
    case client
    /// Coordination of one feature on the main actor.
    case context
    /// The application's life cycle.
    case orchestrator
    /// What a person sees of one context.
    case presentation
}
