// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension SaveMachine {
    /// A waiting flush, or a request of exclusive use.
    typealias ID = UInt64

    enum Life {
        /// Nothing is known about what is stored. Nothing is saved, because that might replace a better state.
        case unloaded
        case open
        /// The application was shut down.
        case closed
    }

    enum Work: Equatable {
        case idle
        /// A save begins at this time, or earlier for a flush.
        case waiting(until: Instant)
        /// A save has begun that has not read the state yet.
        case starting
        /// The state of this revision is being stored.
        case saving(UInt64)
        /// A request has exclusive use of the storage.
        case lent(ID)
    }

    /// How a flush or a request ended.
    enum Ending: Sendable {
        case done
        case failed(any Error)
        case notOpen(Life)
        case cancelled
    }

    /// The effects of an event.
    struct Effects: Sendable {
        /// ``SaveMachine/awake(at:)`` is to be called at this time.
        var wakeAt: Instant?
        /// The state is to be read; see ``SaveMachine/read(_:at:)``.
        var startsSave = false
        /// The flushes and requests that ended. For a request, ``Ending/done`` means that it has exclusive use.
        var ended: [(ID, Ending)] = []
        /// An error to report that no flush throws.
        var report: (any Error)?
    }

    /// A caller that waits until a revision is stored.
    struct Flush: Sendable {
        let id: ID
        /// The revision that has to be stored.
        let target: UInt64
        /// Whether its caller ignores the error, which is then to be reported.
        let ignoresErrors: Bool
    }
}
