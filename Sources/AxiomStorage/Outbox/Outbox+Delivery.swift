// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
package import Foundation

// What an engine does with an outbox.
extension Outbox {
    /// Takes the change to send next; nil if none is due. What is taken ends with one of the other methods.
    package func take() -> PendingChange? {
        machine.take(at: Moment(clock))
    }

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

    /// An attempt failed and counts. The change waits.
    ///
    /// - Throws: The error of the storage. The change is then still taken.
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

    /// The change is not sent until it is retried.
    ///
    /// - Throws: The error of the storage. The change is then still taken.
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
