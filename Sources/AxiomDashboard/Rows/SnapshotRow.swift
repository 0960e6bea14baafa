// SPDX-License-Identifier: Apache-2.0

/// A row of one of the snapshot's lists. Its table of fields says what each field is called and how it is written, so
/// that the order of the fields is given in one place.
protocol SnapshotRow: Sendable {
    static var fields: [RowField<Self>] { get }
    /// A number that stays for the run.
    var id: Int { get }
}

/// When a reader of ticks is sent a field that has changed.
enum FieldSchedule: Sendable {
    case everyTick
    /// With a new row only, because the reader keeps it up to date by itself.
    case onceWithTheRow
}

/// A field of a row beside its `id`: its name in JSON, and the value that is written.
struct RowField<Row>: Sendable {
    let name: String
    let schedule: FieldSchedule
    let value: @Sendable (Row) -> RowValue

    init(_ name: String, _ schedule: FieldSchedule = .everyTick, value: @escaping @Sendable (Row) -> RowValue) {
        self.name = name
        self.schedule = schedule
        self.value = value
    }
}

/// A list with the values of its rows, in the order of the table of fields. Only the table makes such a list.
struct EncodedList: Sendable {
    struct Row: Sendable, Hashable {
        let id: Int
        fileprivate(set) var values: [RowValue]

        /// Takes over the fields at `indices` from a row of the same list.
        mutating func replace(_ indices: [Int], from other: Row) {
            for index in indices { values[index] = other.values[index] }
        }
    }

    let kind: ListKind
    /// The names of the fields, in the order of the values.
    let names: [String]
    /// In the same order.
    let schedules: [FieldSchedule]
    private(set) var rows: [Row]

    init<Element: SnapshotRow>(_ kind: ListKind, _ rows: [Element]) {
        let fields = Element.fields
        self.kind = kind
        names = fields.map(\.name)
        schedules = fields.map(\.schedule)
        self.rows = rows.map { row in Row(id: row.id, values: fields.map { $0.value(row) }) }
    }

    /// The list with other values of a field, by the ids of the rows.
    func replacing(_ field: String, _ value: (Int) -> RowValue) -> EncodedList {
        guard let index = names.firstIndex(of: field) else { return self }
        var list = self
        for row in rows.indices { list.rows[row].values[index] = value(rows[row].id) }
        return list
    }

    /// Writes the fields of a row at `indices`, where `null` takes back what was said; without them, all that have a value.
    func write(_ row: Row, _ indices: [Int]? = nil, to json: inout JSONText) {
        json.object { json in
            json.member("id", row.id)
            for index in indices ?? row.values.indices.filter({ row.values[$0] != .none }) {
                json.member(names[index], row.values[index])
            }
        }
    }
}
