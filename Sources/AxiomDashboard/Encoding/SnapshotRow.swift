// SPDX-License-Identifier: Apache-2.0

/// The lists of a snapshot, in the order in which their changes are sent if a tick has no room for all.
enum ListKind: Int, CaseIterable, Sendable {
    case problems, circuits, latency, events, budgets, errors, regressions, hangs, runtime, telemetry
    case components, calls, slowest, edges, policies, instances, capabilities, signals

    var name: String { "\(self)" }

    /// Whether its changes precede the changes of other lists, even those that have waited.
    var isUrgent: Bool { rawValue <= ListKind.events.rawValue }
}

/// A row of one of the snapshot's lists. Its table of fields says what each field is called and how it is written, so
/// that the order of the fields is given in one place.
protocol SnapshotRow: Sendable {
    static var fields: [Field<Self>] { get }
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
struct Field<Row>: Sendable {
    let name: String
    let schedule: FieldSchedule
    let value: @Sendable (Row) -> Value

    init(_ name: String, _ schedule: FieldSchedule = .everyTick, value: @escaping @Sendable (Row) -> Value) {
        self.name = name
        self.schedule = schedule
        self.value = value
    }

    /// A total, exactly.
    static func count<Count: FixedWidthInteger & Sendable>(
        _ name: String,
        _ read: @escaping @Sendable (Row) -> Count?
    ) -> Field {
        Field(name) { .count(read($0)) }
    }

    /// A measured number, to four digits.
    static func measured(_ name: String, _ read: @escaping @Sendable (Row) -> Double?) -> Field {
        Field(name) { .measured(read($0)) }
    }

    /// A moment in seconds since 1970.
    static func moment(_ name: String, _ read: @escaping @Sendable (Row) -> Double?) -> Field {
        Field(name) { .moment(read($0)) }
    }

    /// One of a few texts that are known in advance.
    static func term(_ name: String, _ read: @escaping @Sendable (Row) -> String?) -> Field {
        Field(name) { row in read(row).map { .text($0) } ?? .none }
    }

    /// A name or a sentence, cut off after `limit` bytes.
    static func text(
        _ name: String,
        _ schedule: FieldSchedule = .everyTick,
        limit: Int = Value.textLimit,
        _ read: @escaping @Sendable (Row) -> String?
    ) -> Field {
        Field(name, schedule) { .words(read($0), limit: limit) }
    }

    static func flag(_ name: String, _ read: @escaping @Sendable (Row) -> Bool) -> Field {
        Field(name) { .flag(read($0)) }
    }

    /// An object or a list.
    static func json(
        _ name: String,
        _ schedule: FieldSchedule = .everyTick,
        _ write: @escaping @Sendable (Row, inout JSONText) -> Void
    ) -> Field {
        Field(name, schedule) { row in
            var json = JSONText()
            write(row, &json)
            return .json(json.bytes)
        }
    }
}

/// A list with the values of its rows, in the order of the table of fields. Only the table makes such a list.
struct EncodedList: Sendable {
    /// One row.
    struct Row: Sendable, Hashable {
        let id: Int
        fileprivate(set) var values: [Value]

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
    let rows: [Row]

    init<Element: SnapshotRow>(_ kind: ListKind, _ rows: [Element]) {
        let fields = Element.fields
        self.kind = kind
        names = fields.map(\.name)
        schedules = fields.map(\.schedule)
        self.rows = rows.map { row in Row(id: row.id, values: fields.map { $0.value(row) }) }
    }

    /// Writes a whole row, without the fields that have no value.
    func write(_ row: Row, to json: inout JSONText) {
        write(row, row.values.indices.filter { row.values[$0] != .none }, to: &json)
    }

    /// Writes the fields of a row at `indices`; `null` takes back what was said.
    func write(_ row: Row, _ indices: [Int], to json: inout JSONText) {
        json.raw("{\"id\":" as StaticString)
        json.integer(row.id)
        for index in indices {
            json.comma()
            json.key(names[index])
            row.values[index].write(to: &json)
        }
        json.raw("}" as StaticString)
    }
}
