// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// A period in which the main actor ran nothing new, because something held it.
package struct MainActorHang: Sendable, Hashable {
    /// What held the main actor.
    package enum Cause: Sendable, Hashable {
        /// An operation of a context.
        case operation(Culprit)
        /// Nothing of Axiom ran: other code of the application held it.
        case application
        /// Other threads did not run either, or its thread waited for a processor for more than half of the time.
        case process
    }

    /// The operation that held the main actor.
    package struct Culprit: Sendable, Hashable {
        package let component: ComponentDescriptor
        /// The case of the action, or the phase.
        package let name: String
        /// The trace of the operation, of several runs that of the longest; nil while it runs, and if it is not recorded.
        package var trace: TraceID?
        /// Whether the operation was seen to run nearly all the time. If not, it is the likely one.
        package let isSure: Bool
    }

    /// A number that no other hang of the process has.
    package let id: Int
    /// When the main actor was first known to be held.
    package let start: Instant
    /// For how long at least.
    package let nanoseconds: Int64
    /// Whether it is held still.
    package let isLasting: Bool
    package var cause: Cause
    /// Whether the search for the cause is over.
    package var isSettled: Bool

    package var seconds: Double { Double(nanoseconds) * 1e-9 }
    package var end: Instant { Instant(nanoseconds: start.nanoseconds &+ nanoseconds) }

    package var culprit: Culprit? {
        if case .operation(let culprit) = cause { culprit } else { nil }
    }
}

/// What is known of the main actor at one moment.
package struct MainActorReading: Sendable {
    /// The latest hangs, the oldest first. The last one may last.
    package var hangs: [MainActorHang] = []
    /// The longest delay that was measured in the requested time, in seconds; nil if none was.
    package var worstDelay: Double?

    package init() {}
}
