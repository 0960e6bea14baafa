// SPDX-License-Identifier: Apache-2.0

public import Axiom
package import AxiomBase
public import Foundation

// What an application does with an outbox.
extension Outbox {
    /// Adds a change. It is durable when the call returns, and is sent as soon as its turn has come.
    ///
    /// Continues even if the calling task is cancelled. Costs one transaction of the storage, which concurrent calls share.
    ///
    /// - Parameters:
    ///   - kind: What kind of change it is.
    ///   - payload: The content.
    ///   - key: The changes of one key are sent in their order. Default: the empty key.
    ///   - id: The idempotency key. Default: a new one.
    /// - Returns: The change.
    /// - Throws: ``OfflineError`` if the outbox is full or has a change with the id; the error of the storage. The change
    ///   was then not added.
    @discardableResult
    public func append(
        _ kind: String,
        _ payload: Data,
        key: String = "",
        id: UUID = UUID()
    ) async throws -> PendingChange {
        try await load()
        let moment = Moment(clock)
        let change = PendingChange(
            id: id,
            kind: kind,
            key: key,
            payload: payload,
            madeAt: moment.secondsSinceEpoch
        )
        try await commit(try machine.append(change, at: moment))
        return change
    }

    /// The changes that are to be sent or are being sent, in the order in which they were appended.
    ///
    /// - Throws: The error of the storage if the outbox cannot be loaded.
    public var pendingChanges: [PendingChange] {
        get async throws {
            try await load()
            return machine.committed.compactMap { entry in
                if case .setAside = entry.phase { nil } else { entry.change }
            }
        }
    }

    /// The changes that were set aside, in the order in which they were appended.
    ///
    /// - Throws: The error of the storage if the outbox cannot be loaded.
    public var setAsideChanges: [SetAsideChange] {
        get async throws {
            try await load()
            return machine.committed.compactMap { entry in
                guard case .setAside(let reason) = entry.phase else { return nil }
                return SetAsideChange(change: entry.change, reason: reason)
            }
        }
    }

    /// The keys of the records that cannot be read, because they are damaged, were written by a newer version, or stand in a
    /// file that cannot be read. They stay in the storage until the application removes them there, and are not sent. A record
    /// whose file can be read again is sent after the next start.
    ///
    /// - Throws: The error of the storage if the outbox cannot be loaded.
    public var unreadable: [StorageKey] {
        get async throws {
            try await load()
            return machine.unreadable
        }
    }

    /// Sends a change that was set aside again, with its attempts counted from 0, before the later changes of its key.
    ///
    /// - Throws: ``OfflineError`` if no change with the id is set aside; the error of the storage.
    public func retry(_ id: PendingChange.ID) async throws {
        try await load()
        guard let entry = machine.entry(id), case .setAside = entry.phase, !entry.isChanging,
            let step = try machine.replace(id, at: Moment(clock), { $0.resetAttempts() })
        else { throw OfflineError.unknown(id, in: name, "set aside") }
        try await commit(step)
    }

    /// Removes a change that was set aside, or that has not been sent yet: the server may have received it if an attempt
    /// has failed.
    ///
    /// - Throws: ``OfflineError`` if there is no such change or if it is being sent; the error of the storage.
    public func discard(_ id: PendingChange.ID) async throws {
        try await load()
        guard let entry = machine.entry(id), entry.phase != .sending, entry.phase != .appending, !entry.isChanging,
            let step = machine.remove(id)
        else { throw OfflineError.unknown(id, in: name, "set aside or waits to be sent") }
        try await commit(step)
    }

    // What an engine does with an outbox.

    /// Takes the change to send next; nil if none is due. What is taken ends with one of the other methods.
    package func take() -> PendingChange? { machine.take(at: Moment(clock)) }

    /// When the first attempt of a change failed; nil if none did. A wall clock that is set does not move it.
    func failingSince(_ id: UUID) -> Instant? { machine.entry(id)?.failing }

    /// When the next change is due; nil if none waits to be sent.
    package var nextDue: Instant? { machine.nextDue() }

    /// The server accepted the change, or the change is no longer needed.
    ///
    /// - Throws: The error of the storage. The change is then still taken.
    package func remove(_ id: UUID) async throws {
        guard let step = machine.remove(id) else { return }
        try await commit(step)
    }

    /// An attempt failed and counts. The change waits. Throws the error of the storage. The change is then still taken.
    package func postpone(_ id: UUID, for wait: Duration) async throws {
        let moment = Moment(clock)
        let step = try machine.replace(id, after: wait, at: moment) { $0.countAttempt(at: moment) }
        if let step { try await commit(step) }
    }

    /// The change has another content, and is sent again.
    ///
    /// - Throws: The error of the storage. The change is then still taken.
    package func replace(_ id: UUID, payload: Data) async throws {
        let moment = Moment(clock)
        let step = try machine.replace(id, at: moment) { change in
            change.payload = payload
            change.countAttempt(at: moment)
        }
        if let step { try await commit(step) }
    }

    /// The change is not sent until it is retried. Throws the error of the storage. The change is then still taken.
    package func setAside(_ id: UUID, because reason: String) async throws {
        let moment = Moment(clock)
        let step = try machine.replace(id, setAside: reason, at: moment) { $0.countAttempt(at: moment) }
        if let step { try await commit(step) }
    }

    /// Puts back a change that was taken. The storage does not change.
    ///
    /// - Parameter wait: How long it waits; nil to leave its due time as it is.
    package func release(_ id: UUID, for wait: Duration? = nil) {
        machine.release(id, until: wait.map { clock.now.advanced(by: min($0, OutboxMachine.longestWait)) })
    }

    /// Ends the waits of all changes.
    package func hasten() { machine.hasten() }
}
