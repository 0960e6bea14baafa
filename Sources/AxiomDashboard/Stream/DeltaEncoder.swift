// SPDX-License-Identifier: Apache-2.0

/// Finds what has changed since the readers of the stream were last sent it.
///
/// Readers are sent values, not differences, so a reader that has newer values than another can be sent the same tick.
struct DeltaEncoder: Sendable {
    /// What readers have of a row.
    private struct Entry: Sendable {
        /// The row as it was last sent; nil if it was not sent yet.
        var row: EncodedList.Row?
        /// The number of the tick since which a change waits for room; nil if nothing has changed.
        var waitingSince: Int?
    }

    /// A row that is to be sent.
    struct Change: Sendable {
        let list: EncodedList
        let row: EncodedList.Row
        /// The indices of the fields; nil for a new row.
        let fields: [Int]?
        let waitingSince: Int

        var kind: ListKind { list.kind }

        /// The row, or its fields.
        var json: JSONText {
            var json = JSONText()
            list.write(row, fields, to: &json)
            return json
        }
    }

    /// The column of a heat map as it is now.
    struct Column: Sendable {
        /// The id of the heat map.
        let id: Int
        let start: Double
        let column: LatencyColumn
    }

    private var entries: [ListKind: [Int: Entry]] = [:]
    private var headers: [String: [UInt8]] = [:]
    /// The calls in the latest columns that were sent, by heat map and by the start of the column.
    private var columns: [Int: [Double: UInt64]] = [:]

    /// Takes everything as sent: the contents of a snapshot.
    mutating func reset(_ lists: [EncodedList], headers: [String: [UInt8]], columns: [Column]) {
        entries = [:]
        for list in lists {
            let rows = list.rows.map { ($0.id, Entry(row: $0)) }
            entries[list.kind] = Dictionary(rows) { first, _ in first }
        }
        self.headers = headers
        self.columns = [:]
        for column in columns { markSent(column) }
    }

    // MARK: - Rows

    /// What is to be sent, the most important first: changes of the urgent lists, and then those that have waited longest.
    mutating func changes(_ lists: [EncodedList], seq: Int) -> [Change] {
        var changes: [Change] = []
        for list in lists { collect(list, seq, &changes) }
        func urgency(_ change: Change) -> (Int, Int, Int) {
            let (kind, since) = (change.kind.rawValue, change.waitingSince)
            return change.kind.isUrgent ? (0, kind, since) : (1, since, kind)
        }
        return changes.sorted { urgency($0) < urgency($1) }
    }

    private mutating func collect(_ list: EncodedList, _ seq: Int, _ changes: inout [Change]) {
        var known = entries[list.kind] ?? [:]
        for row in list.rows {
            let entry = known[row.id] ?? Entry()
            let fields = entry.row.map { list.changedFields(from: $0, to: row) }
            let since = fields?.isEmpty == true ? nil : entry.waitingSince ?? seq
            if since != entry.waitingSince { known[row.id] = Entry(row: entry.row, waitingSince: since) }
            guard let since else { continue }
            changes.append(Change(list: list, row: row, fields: fields, waitingSince: since))
        }
        entries[list.kind] = known
    }

    mutating func markSent(_ change: Change) {
        var row = entries[change.kind]?[change.row.id]?.row ?? change.row
        row.replace(change.fields ?? [], from: change.row)
        entries[change.kind, default: [:]][change.row.id] = Entry(row: row)
    }

    /// The rows that readers have and that no longer exist.
    mutating func removed(_ lists: [EncodedList]) -> [(kind: ListKind, ids: [Int])] {
        lists.compactMap { list in
            let present = Set(list.rows.map(\.id))
            // A row that was never sent is forgotten.
            entries[list.kind] = entries[list.kind]?.filter { present.contains($0.key) || $0.value.row != nil }
            let ids = (entries[list.kind] ?? [:]).keys.filter { !present.contains($0) }.sorted()
            return ids.isEmpty ? nil : (list.kind, ids)
        }
    }

    mutating func markRemoved(_ kind: ListKind, _ id: Int) {
        entries[kind]?[id] = nil
    }

    func hasSent(_ kind: ListKind, _ id: Int) -> Bool {
        entries[kind]?[id]?.row != nil
    }
}

extension EncodedList {
    /// The indices of the fields that differ and that are sent more than once.
    fileprivate func changedFields(from old: Row, to new: Row) -> [Int] {
        new.values.indices.filter { schedules[$0] == .everyTick && old.values[$0] != new.values[$0] }
    }
}

// MARK: - Headers and columns

extension DeltaEncoder {
    func changes(_ headers: [String: [UInt8]]) -> [(name: String, json: [UInt8])] {
        headers.filter { self.headers[$0.key] != $0.value }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    mutating func markSent(header name: String, _ json: [UInt8]) {
        headers[name] = json
    }

    /// Whether the column has other calls than when it was last sent.
    func hasChanged(_ column: Column) -> Bool {
        columns[column.id]?[column.start] != column.column.total
    }

    mutating func markSent(_ column: Column) {
        columns[column.id, default: [:]][column.start] = column.column.total
        // The present column and the one before it.
        columns[column.id] = columns[column.id]?.filter { $0.key >= column.start - 10 }
    }
}
