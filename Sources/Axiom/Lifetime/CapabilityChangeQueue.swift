// SPDX-License-Identifier: Apache-2.0

/// The changes of capabilities that wait or run, and the order in which they may run.
///
/// A change affects the capabilities that it names and everything that depends on them. Changes that share a capability
/// run one after the other, in the order of their arrival; all others run concurrently. That is enough: if a capability
/// of one change depended on a capability of another, it would belong to both.
struct CapabilityChangeQueue {
    /// A position in the queue.
    struct Ticket: Hashable {
        fileprivate let number: UInt64
    }

    private struct Entry {
        let ticket: Ticket
        let named: Set<ComponentDescriptor>
        /// The affected capabilities, determined when the change begins; nil before.
        var taken: Set<ComponentDescriptor>?
    }

    /// In the order of their arrival.
    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0

    /// Adds a change of the capabilities `named` at the end.
    mutating func add(_ named: Set<ComponentDescriptor>) -> Ticket {
        lastNumber += 1
        let ticket = Ticket(number: lastNumber)
        entries.append(Entry(ticket: ticket, named: named))
        return ticket
    }

    /// Removes a change that has ended or that will not run.
    mutating func remove(_ ticket: Ticket) { entries.removeAll { $0.ticket == ticket } }

    /// Starts every change that no earlier one blocks.
    ///
    /// - Parameter graph: The dependencies that are known now.
    /// - Returns: The changes that begin now, each with the capabilities that it affects.
    mutating func takeReady(_ graph: ComponentGraph) -> [(ticket: Ticket, taken: Set<ComponentDescriptor>)] {
        var (occupied, ready): (Set<ComponentDescriptor>, [(Ticket, Set<ComponentDescriptor>)]) = ([], [])
        for index in entries.indices {
            let affected = entries[index].taken ?? graph.capabilities(dependingOn: entries[index].named)
            if entries[index].taken == nil, occupied.isDisjoint(with: affected) {
                entries[index].taken = affected
                ready.append((entries[index].ticket, affected))
            }
            occupied.formUnion(affected)
        }
        return ready
    }

    /// The earlier changes that block a change of the capabilities `named`.
    func obstacles(of named: Set<ComponentDescriptor>, _ graph: ComponentGraph) -> [Ticket] {
        let affected = graph.capabilities(dependingOn: named)
        return entries.filter { entry in
            !affected.isDisjoint(with: entry.taken ?? graph.capabilities(dependingOn: entry.named))
        }
        .map(\.ticket)
    }
}

extension ComponentGraph {
    /// The capabilities `named` and all capabilities that depend on them, directly or indirectly.
    func capabilities(dependingOn named: Set<ComponentDescriptor>) -> Set<ComponentDescriptor> {
        dependents(of: named).filter { $0.kind == .capability }
    }
}
