// SPDX-License-Identifier: Apache-2.0

/// Writes one tick, no longer than ``limit``: the most important first, and the rest waits.
struct TickWriter {
    /// The most bytes of a tick.
    static let limit = 4_096
    /// For the braces, names and counts around what is told.
    private static let frame = 160
    /// How much urgent changes leave to others.
    private static let share = 1_600

    let seq: Int
    let at: Double
    private var rows: [(kind: ListKind, json: JSONText)] = []
    private var columns = JSONText()
    private var gone: [(kind: ListKind, ids: [Int])] = []
    private var facts = JSONText()
    private var points = JSONText()
    private var room: Int
    private(set) var behind = 0

    init(seq: Int, at: Double, _ points: TickPoints) {
        self.seq = seq
        self.at = at
        self.points.raw(",\"points\":" as StaticString)
        points.fine.write(to: &self.points)
        if let coarse = points.coarse {
            self.points.raw(",\"coarse\":" as StaticString)
            coarse.write(to: &self.points)
        }
        room = Self.limit - Self.frame - self.points.count
    }

    /// Tells what fits, and notes in the replica what was told.
    mutating func fill(
        _ replica: inout Replica,
        _ lists: [RowList],
        facts: [String: [UInt8]],
        columns: [ColumnChange]
    ) {
        let changes = replica.changes(lists, seq: seq)
        // What is urgent may not take all the room: some is kept for what has waited.
        var rest: [Replica.Change] = []
        for change in changes {
            if !change.kind.isUrgent || !add(change, &replica, keeping: Self.share) { rest.append(change) }
        }
        for (name, json) in replica.changes(facts) { add(name, json, &replica) }
        for column in columns where replica.mustTell(column) && replica.knows(.latency, column.id) {
            add(column, &replica, keeping: Self.share / 2)
        }
        for change in rest where !add(change, &replica, keeping: 0) { behind += 1 }
        for (kind, ids) in replica.gone(lists) { add(kind, ids, &replica) }
    }

    /// - Returns: Whether there was room for it, with some to spare.
    private mutating func add(_ change: Replica.Change, _ replica: inout Replica, keeping spare: Int) -> Bool {
        guard room > spare + 16 else { return false }
        var json = JSONText()
        change.row.write(change.kind, change.places, to: &json)
        let list = rows.firstIndex { $0.kind == change.kind }
        let size = json.count + 1 + (list == nil ? change.kind.name.utf8.count + 6 : 0)
        guard size <= room - spare else { return false }
        room -= size
        replica.tell(change)
        if let list {
            rows[list].json.comma()
            rows[list].json.raw(json.bytes)
        } else {
            rows.append((change.kind, json))
        }
        return true
    }

    private mutating func add(_ name: String, _ json: [UInt8], _ replica: inout Replica) {
        let size = json.count + name.utf8.count + 4
        guard size <= room else { return }
        room -= size
        if facts.count > 0 { facts.comma() }
        facts.key(name)
        facts.raw(json)
        replica.tell(fact: name, json)
    }

    private mutating func add(_ change: ColumnChange, _ replica: inout Replica, keeping spare: Int) {
        var json = JSONText()
        json.raw("[" as StaticString)
        json.integer(change.id)
        json.comma()
        json.number(change.start)
        json.comma()
        change.column.write(to: &json)
        json.raw("]" as StaticString)
        guard json.count + 1 <= room - spare else { return }
        room -= json.count + 1
        if columns.count > 0 { columns.comma() }
        columns.raw(json.bytes)
        replica.tell(change)
    }

    private mutating func add(_ kind: ListKind, _ ids: [Int], _ replica: inout Replica) {
        var kept: [Int] = []
        room -= kind.name.utf8.count + 6
        for id in ids {
            let size = String(id).utf8.count + 1
            guard size <= room else { break }
            room -= size
            kept.append(id)
            replica.forget(kind, id)
        }
        if !kept.isEmpty { gone.append((kind, kept)) }
    }

    /// The tick.
    var json: [UInt8] {
        var json = JSONText(capacity: Self.limit)
        json.raw("{\"seq\":" as StaticString)
        json.integer(seq)
        json.raw(",\"at\":" as StaticString)
        json.number(at)
        if facts.count > 0 {
            json.raw(",\"set\":{" as StaticString)
            json.raw(facts.bytes)
            json.raw("}" as StaticString)
        }
        writeRows(&json)
        writeGone(&json)
        json.raw(points.bytes)
        if columns.count > 0 {
            json.raw(",\"columns\":[" as StaticString)
            json.raw(columns.bytes)
            json.raw("]" as StaticString)
        }
        if behind > 0 {
            json.raw(",\"behind\":" as StaticString)
            json.integer(behind)
        }
        json.raw("}" as StaticString)
        return json.bytes
    }

    private func writeRows(_ json: inout JSONText) {
        guard !rows.isEmpty else { return }
        json.raw(",\"rows\":{" as StaticString)
        for (place, list) in rows.enumerated() {
            if place > 0 { json.comma() }
            json.key(list.kind.name)
            json.raw("[" as StaticString)
            json.raw(list.json.bytes)
            json.raw("]" as StaticString)
        }
        json.raw("}" as StaticString)
    }

    private func writeGone(_ json: inout JSONText) {
        guard !gone.isEmpty else { return }
        json.raw(",\"gone\":{" as StaticString)
        for (place, list) in gone.enumerated() {
            if place > 0 { json.comma() }
            json.key(list.kind.name)
            json.list(list.ids) { $0.integer($1) }
        }
        json.raw("}" as StaticString)
    }
}
