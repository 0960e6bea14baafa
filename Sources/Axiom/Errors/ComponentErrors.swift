// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A capability cannot be used.
public struct CapabilityError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    static func initializationFailed(_ name: String, cause: any Error) -> Self {
        CapabilityError(
            .capabilityInitializationFailed,
            "The required capability \(name) could not be initialised: \(String(clause: cause)).",
            recoverySuggestion:
                "Correct the cause, or register \(name) with requirement: .optional to start without it.",
            origin: ComponentDescriptor(kind: .capability, name: name),
            cause: cause
        )
    }

    /// There is no working instance of the capability `name`, because `reason`.
    public static func unavailable(_ name: String, because reason: String, cause: (any Error)? = nil) -> Self {
        CapabilityError(
            .capabilityUnavailable,
            "The capability \(name) is not available: \(reason.clause).",
            origin: ComponentDescriptor(kind: .capability, name: name),
            cause: cause
        )
    }

    /// The capability `name` did not answer within `limit`.
    package static func timedOut(_ name: String, after limit: Duration) -> Self {
        CapabilityError(
            .capabilityTimedOut,
            "The capability \(name) did not answer within \(limit).",
            origin: ComponentDescriptor(kind: .capability, name: name)
        )
    }

    // Sources of capability events.

    /// The parameter `name` of a source is not in its range.
    package static func invalidParameter(_ name: String, _ value: String, range: String) -> Self {
        CapabilityError(.capabilitySourceInvalid, "\(name) is \(value). It must be \(range).")
    }

    /// A source cannot begin, because `reason`.
    package static func sourceUnavailable(because reason: String) -> Self {
        CapabilityError(.capabilitySourceUnavailable, "A source of capability events cannot begin: \(reason.clause).")
    }

    /// A source that began cannot go on, because `reason`.
    package static func sourceStopped(because reason: String) -> Self {
        CapabilityError(.capabilitySourceStopped, "A source of capability events stopped: \(reason.clause).")
    }
}

/// A client cannot be used.
public struct ClientError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    static func notStarted(_ client: ComponentDescriptor, asker: ComponentDescriptor, cause: any Error) -> Self {
        ClientError(
            .clientNotStarted,
            "The \(asker) requires the \(client), which could not be started: \(String(clause: cause)).",
            origin: client,
            cause: cause
        )
    }

    static func storeOutsideScope(_ client: ComponentDescriptor, _ state: String) -> Self {
        ClientError(
            .storeOutsideScope,
            "The \(client) publishes a store of \(state) that its scope did not make, so its state is not observed.",
            origin: client
        )
    }

    static func answerSkipped(_ client: ComponentDescriptor, by step: String) -> Self {
        ClientError(
            .answerSkipped,
            "An action of the \(client) has an answer, but \(step) skipped the client.",
            origin: client
        )
    }

    static func queueFull(_ client: ComponentDescriptor, action: String, limit: Int) -> Self {
        ClientError(
            .actionQueueFull,
            "The \(client) refused the action \(action): \(max(0, limit)) callers already wait.",
            origin: client
        )
    }
}

/// A context cannot do what was requested.
public struct ContextError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    static func disappeared(_ context: ComponentDescriptor) -> Self {
        ContextError(
            .contextDisappeared,
            "The \(context) was sent an action after it had disappeared, and did not handle it.",
            origin: context
        )
    }

    static func gone(_ context: ComponentDescriptor, cause: (any Error)? = nil) -> Self {
        ContextError(
            .contextGone,
            "The failed operation of the \(context) cannot be run again: the context is gone.",
            origin: context,
            cause: cause
        )
    }
}
