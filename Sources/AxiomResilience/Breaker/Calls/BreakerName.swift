// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The name of a breaker as a number, so that a rejection carries no reference: counting one costs as much as all the
/// rest of a rejection.
///
/// A name is kept as long as a breaker has it. A rejection may outlive its breaker, so the ``spareCount`` names that were
/// released last are kept too. The table therefore holds no more names than there are breakers, and these.
struct BreakerName: Hashable, Sendable {
    private struct Entry {
        let number: UInt32
        /// How many breakers have the name.
        var breakers: Int
    }

    private struct Table {
        var names: [UInt32: String] = [:]
        var entries: [String: Entry] = [:]
        /// The names that no breaker has, the oldest first.
        var spares: [String] = []
        var last: UInt32 = 0
    }

    /// How many names are kept that no breaker has.
    static let spareCount = 1_024

    /// All of it changes together under this lock.
    private static let table = Lock(Table())

    private let number: UInt32

    /// Takes the name for one breaker, which gives it back with ``release()``.
    init(_ name: String) {
        number = Self.table.withLock { table in
            if var known = table.entries[name] {
                if known.breakers == 0 { table.spares.removeAll { $0 == name } }
                known.breakers += 1
                table.entries[name] = known
                return known.number
            }
            repeat { table.last &+= 1 } while table.names[table.last] != nil
            table.names[table.last] = name
            table.entries[name] = Entry(number: table.last, breakers: 1)
            return table.last
        }
    }

    /// Gives the name back: its breaker is gone.
    func release() {
        Self.table.withLock { table in
            guard let name = table.names[number], var entry = table.entries[name] else { return }
            entry.breakers -= 1
            table.entries[name] = entry
            guard entry.breakers == 0 else { return }
            table.spares.append(name)
            guard table.spares.count > Self.spareCount else { return }
            let oldest = table.spares.removeFirst()
            if let removed = table.entries.removeValue(forKey: oldest) { table.names[removed.number] = nil }
        }
    }

    /// The name, or a remark in its place if the breaker and ``spareCount`` others were released since.
    var text: String {
        Self.table.withLock { $0.names[number] } ?? "(a breaker that was released)"
    }

    /// How many names are kept.
    static var count: Int { table.withLock { $0.names.count } }
}
