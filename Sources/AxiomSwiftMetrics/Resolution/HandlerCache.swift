// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Foundation

/// Handlers by the very words that were used to ask for them, so that asking again costs one look-up: no sorting, no
/// renaming, no family.
///
/// A series can be asked for in many words, of which at most ``spellings`` are remembered: the cache is bounded as the
/// families are.
final class HandlerCache<Handler: SeriesHandler>: Sendable {
    /// Enough for all orders of three dimensions.
    static var spellings: Int { 8 }

    /// What a look-up has seen, for the insertion that follows it.
    struct Ticket {
        fileprivate let hash: UInt64
        fileprivate let removals: UInt64
    }

    private struct Entry {
        let key: [UInt8]
        let handler: Handler

        func matches(_ other: UnsafeRawBufferPointer) -> Bool {
            key.withUnsafeBytes { key in
                guard key.count == other.count, let left = key.baseAddress, let right = other.baseAddress else {
                    return key.count == other.count
                }
                return memcmp(left, right, key.count) == 0
            }
        }
    }

    private struct State {
        /// By hash. Two keys of one hash, which nobody can look for, are found by the long way, all but one.
        var entries: [UInt64: Entry] = [:]
        /// The hashes under which each instrument is found.
        var hashes: [ObjectIdentifier: [UInt64]] = [:]
        var removals: UInt64 = 0
    }

    /// Random, so that nobody can choose words whose hashes are equal.
    private let seed = UInt64.random(in: .min ... .max)
    /// Guarded by its lock, which is held for nothing but look-ups and changes.
    private let state = Lock(State())

    /// The handler that was asked for in these words before.
    func find(_ key: UnsafeRawBufferPointer) -> (Handler?, Ticket) {
        let hash = LabelHash.hash(key, seed: seed)
        return state.withLock { state in
            let ticket = Ticket(hash: hash, removals: state.removals)
            guard let entry = state.entries[hash], entry.matches(key) else { return (nil, ticket) }
            return (entry.handler, ticket)
        }
    }

    /// Remembers a handler, unless something was removed since the ticket was drawn: it might have been this one.
    func insert(_ handler: Handler, _ key: UnsafeRawBufferPointer, _ ticket: Ticket) {
        let child = ObjectIdentifier(handler.series.child)
        state.withLock { state in
            guard state.removals == ticket.removals, state.entries[ticket.hash] == nil,
                state.hashes[child, default: []].count < Self.spellings
            else { return }
            state.entries[ticket.hash] = Entry(key: [UInt8](key), handler: handler)
            state.hashes[child, default: []].append(ticket.hash)
        }
    }

    /// Forgets all that leads to an instrument.
    func remove(_ child: Instrument) {
        state.withLock { state in
            state.removals &+= 1
            for hash in state.hashes.removeValue(forKey: ObjectIdentifier(child)) ?? [] { state.entries[hash] = nil }
        }
    }
}
