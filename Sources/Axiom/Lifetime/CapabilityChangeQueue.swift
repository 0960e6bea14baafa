// SPDX-License-Identifier: Apache-2.0

/// Which changes of capabilities may be carried out now.
///
/// A change takes along everything that depends on the capabilities that it names. Changes that have a capability in
/// common are carried out one after the other, in the order in which they came; all others at the same time. That is
/// enough: a capability of one change that depended on a capability of another would belong to both.
struct CapabilityChangeQueue {
    /// A place in the queue.
    struct Ticket: Hashable {
        fileprivate let number: UInt64
    }

    private struct Entry {
        let ticket: Ticket
        let named: Set<ComponentDescriptor>
        /// What the change takes along, settled when it begins; nil while it waits.
        var taken: Set<ComponentDescriptor>?
    }

    /// In the order in which they came.
    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0

    /// Adds a change of the capabilities `named` at the end.
    mutating func add(_ named: Set<ComponentDescriptor>) -> Ticket {
        lastNumber += 1
        let ticket = Ticket(number: lastNumber)
        entries.append(Entry(ticket: ticket, named: named))
        return ticket
    }

    /// Removes a change that has ended, or that is not carried out.
    mutating func remove(_ ticket: Ticket) {
        entries.removeAll { $0.ticket == ticket }
    }

    /// Lets every change begin that no earlier one keeps waiting.
    ///
    /// - Parameter graph: The dependencies as they are known now.
    /// - Returns: Those that begin now, and what each takes along.
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

    /// The earlier changes that keep a change of the capabilities `named` waiting.
    func obstacles(of named: Set<ComponentDescriptor>, _ graph: ComponentGraph) -> [Ticket] {
        let affected = graph.capabilities(dependingOn: named)
        return entries.filter { entry in
            !affected.isDisjoint(with: entry.taken ?? graph.capabilities(dependingOn: entry.named))
        }
        .map(\.ticket)
    }
}

extension ComponentGraph {
    /// The capabilities `named` and all capabilities that depend on them, directly or not.
    func capabilities(dependingOn named: Set<ComponentDescriptor>) -> Set<ComponentDescriptor> {
        var found: Set<ComponentDescriptor> = []
        for capability in named where !found.contains(capability) { found.formUnion(dependents(of: capability)) }
        return found.filter { $0.kind == .capability }
    }
}
