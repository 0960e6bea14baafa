// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

/// A persistent state could not be loaded or saved.
public struct PersistenceError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }
}

/// The state and its owner, for the message of an error.
struct StateSubject: Sendable, CustomStringConvertible {
    let type: String
    let key: StorageKey
    let client: ComponentDescriptor

    /// As in `CartState (key cart)`.
    var description: String { "\(type) (key \(key))" }
}

extension PersistenceError {
    private init(_ code: ErrorCode, _ subject: StateSubject, _ message: String, cause: (any Error)? = nil) {
        self.init(ErrorFacts(code, message, origin: subject.client, cause: cause))
    }

    static func notSaved(_ subject: StateSubject, cause: any Error) -> Self {
        Self(
            .stateNotSaved,
            subject,
            "The state \(subject) could not be saved: \(String(clause: cause)).",
            cause: cause
        )
    }

    static func newer(_ subject: StateSubject, stored: Int, known: Int) -> Self {
        Self(
            .stateFromNewerVersion,
            subject,
            "The stored state \(subject) has the version \(stored), but this program knows only versions up to \(known)."
                + " It was not changed."
        )
    }

    static func setAside(_ subject: StateSubject, _ key: StorageKey, cause: any Error) -> Self {
        Self(
            .stateSetAside,
            subject,
            "The stored state \(subject) could not be read, and was set aside under the key \(key): \(String(clause: cause)).",
            cause: cause
        )
    }

    static func noMigration(_ subject: StateSubject, from version: Int, to known: Int) -> Self {
        invalidVersions(
            subject,
            "no migration leads from version \(version), and the current version is \(known)"
        )
    }

    static func invalidVersions(_ subject: StateSubject, _ mistake: String) -> Self {
        Self(
            .stateNotMigrated,
            subject,
            "The state \(subject) cannot be loaded: \(mistake). What is stored was not changed."
        )
    }

    static func keyTaken(_ subject: StateSubject, by owner: ComponentDescriptor) -> Self {
        Self(
            .stateKeyTaken,
            subject,
            "The state \(subject) of \(subject.client.name) was not loaded: a store of \(owner.name) keeps its state under this"
                + " key of the same storage."
        )
    }

    static func notOpen(_ subject: StateSubject, _ life: SaveMachine.Life) -> Self {
        let reason = life == .closed ? "the application was shut down" : "it was not loaded"
        return Self(.stateStoreNotOpen, subject, "The state \(subject) cannot be saved: \(reason).")
    }

    static func lost(_ subject: StateSubject, cause: (any Error)?) -> Self {
        let reason = cause.map { ": \(String(clause: $0))" } ?? ""
        return Self(
            .stateLost,
            subject,
            "The application was shut down, and the last changes of the state \(subject) are not known to be saved\(reason).",
            cause: cause
        )
    }
}
