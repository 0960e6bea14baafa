// SPDX-License-Identifier: Apache-2.0

/// What the readers of the stream know, and what they do not know yet.
///
/// Readers are told values, not changes: one who knows more than the replica is not disturbed by what is told to all.
struct Replica: Sendable {
    /// A row as it was told last.
    private struct Told: Sendable {
        var values: [Value]
        /// The number of the tick from which on it waits for room; nil when there is nothing to tell.
        var waitingSince: Int?
    }

    /// A row of which something is to be told.
    struct Change: Sendable {
        let kind: ListKind
        let row: Row
        /// The fields; nil for a row that is new.
        let places: [Int]?
        let waitingSince: Int
    }

    private var told: [[Int: Told]] = ListKind.allCases.map { _ in [:] }
    /// When rows that were never told began to wait.
    private var newSince: [[Int: Int]] = ListKind.allCases.map { _ in [:] }
    private var facts: [String: [UInt8]] = [:]
    /// The calls in the latest columns as they were told, by heat map and the time at which the column begins.
    private var columns: [Int: [Double: UInt64]] = [:]

    /// Takes everything for told: what a reader gets with a snapshot.
    mutating func reset(_ lists: [RowList], facts: [String: [UInt8]], columns: [ColumnChange]) {
        for list in lists {
            let rows = list.rows.map { ($0.id, Told(values: $0.values)) }
            told[list.kind.rawValue] = Dictionary(rows) { first, _ in first }
        }
        newSince = newSince.map { _ in [:] }
        self.facts = facts
        self.columns = [:]
        for column in columns { tell(column) }
    }

    /// What is to be told, the most important first; those that have waited for ten ticks before all others.
    mutating func changes(_ lists: [RowList], seq: Int) -> [Change] {
        var changes: [Change] = []
        for list in lists { collect(list, seq, &changes) }
        func urgency(_ change: Change) -> (Int, Int, Int) {
            let isLate = seq - change.waitingSince >= 10
            return isLate ? (0, change.waitingSince, 0) : (1, change.kind.rawValue, change.waitingSince)
        }
        return changes.sorted { urgency($0) < urgency($1) }
    }

    private mutating func collect(_ list: RowList, _ seq: Int, _ changes: inout [Change]) {
        let (kind, place) = (list.kind, list.kind.rawValue)
        let (silent, seldom) = (kind.places(kind.toldOnce), kind.places(kind.toldSeldom))
        for row in list.rows {
            guard let known = told[place][row.id] else {
                let since = newSince[place][row.id] ?? seq
                newSince[place][row.id] = since
                changes.append(Change(kind: kind, row: row, places: nil, waitingSince: since))
                continue
            }
            let held = (seq + row.id) % 10 == 0 || known.waitingSince != nil ? silent : silent + seldom
            let places = row.values.indices.filter { known.values[$0] != row.values[$0] && !held.contains($0) }
            guard !places.isEmpty else {
                if known.waitingSince != nil { told[place][row.id]?.waitingSince = nil }
                continue
            }
            let since = known.waitingSince ?? seq
            if known.waitingSince == nil { told[place][row.id]?.waitingSince = since }
            changes.append(Change(kind: kind, row: row, places: places, waitingSince: since))
        }
    }

    mutating func tell(_ change: Change) {
        let (list, id) = (change.kind.rawValue, change.row.id)
        guard let places = change.places, var known = told[list][id] else {
            told[list][id] = Told(values: change.row.values)
            newSince[list][id] = nil
            return
        }
        for place in places { known.values[place] = change.row.values[place] }
        known.waitingSince = nil
        told[list][id] = known
    }

    /// The rows that readers know and that are no more.
    mutating func gone(_ lists: [RowList]) -> [(kind: ListKind, ids: [Int])] {
        lists.compactMap { list in
            let place = list.kind.rawValue
            let present = Set(list.rows.map(\.id))
            if !newSince[place].isEmpty { newSince[place] = newSince[place].filter { present.contains($0.key) } }
            let ids = told[place].keys.filter { !present.contains($0) }.sorted()
            return ids.isEmpty ? nil : (list.kind, ids)
        }
    }

    mutating func forget(_ kind: ListKind, _ id: Int) {
        told[kind.rawValue][id] = nil
    }

    /// The facts that have changed.
    func changes(_ facts: [String: [UInt8]]) -> [(name: String, json: [UInt8])] {
        facts.filter { self.facts[$0.key] != $0.value }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    mutating func tell(fact name: String, _ json: [UInt8]) {
        facts[name] = json
    }

    func knows(_ kind: ListKind, _ id: Int) -> Bool {
        told[kind.rawValue][id] != nil
    }

    func mustTell(_ column: ColumnChange) -> Bool {
        columns[column.id]?[column.start] != column.column.total
    }

    mutating func tell(_ column: ColumnChange) {
        columns[column.id, default: [:]][column.start] = column.column.total
        // The present column and the one before it.
        columns[column.id] = columns[column.id]?.filter { $0.key >= column.start - 10 }
    }
}

/// The column of a heat map as it is now.
struct ColumnChange: Sendable {
    let id: Int
    let start: Double
    let column: LatencyColumn
}

extension ListKind {
    fileprivate func places(_ names: Set<String>) -> [Int] {
        names.compactMap { fields.firstIndex(of: $0) }
    }
}
