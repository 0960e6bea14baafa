// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The answer of a server to a change.
public enum SyncAnswer: Sendable, Hashable {
    /// The server has applied the change, now or at an earlier attempt with the same idempotency key.
    case accepted
    /// The server did not apply the change, because another client has changed its state. That state is passed to the
    /// resolver.
    case conflict(remote: Data)
    /// The server will never accept the change. It is set aside. The reason is a clause for people.
    case rejected(reason: String)
}

/// What to do about a conflict.
public enum ConflictResolution: Sendable, Hashable {
    /// Stores this payload, and sends the change with it and the same idempotency key. Counts as an
    /// attempt.
    case keepLocal(Data)
    /// Drops the change: the state of the server stays. The resolver has taken it over.
    case takeRemote
    /// Sets the change aside, for a person to decide. The reason is a clause for people.
    case setAside(reason: String)
}
