// SPDX-License-Identifier: Apache-2.0

/// Writes one tick of at most ``limit`` bytes, the most important changes first. The rest waits for the next tick.
struct TickWriter {
    /// The most bytes of a tick.
    static let limit = 4_096
    /// The bytes of the braces, names and numbers around the changes.
    private static let frame = 160
    /// The bytes that urgent changes leave to others.
    private static let share = 1_600

    let seq: Int
    let at: Double
    private var rows: [(kind: ListKind, json: JSONText)] = []
    private var columns = JSONText()
    private var removed: [(kind: ListKind, ids: [Int])] = []
    private var headers = JSONText()
    private var points = JSONText()
    private var room: Int
    /// How many changes did not fit.
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

    /// Adds the changes that fit, and marks them as sent.
    mutating func fill(
        _ delta: inout DeltaEncoder,
        _ lists: [EncodedList],
        headers: [String: [UInt8]],
        columns: [DeltaEncoder.Column]
    ) {
        let changes = delta.changes(lists, seq: seq)
        // Urgent changes may not take all the room: some is kept for changes that have waited.
        var rest: [DeltaEncoder.Change] = []
        for change in changes {
            if !change.kind.isUrgent || !add(change, &delta, keeping: Self.share) { rest.append(change) }
        }
        for (name, json) in delta.changes(headers) { add(name, json, &delta) }
        for column in columns where delta.hasChanged(column) && delta.hasSent(.latency, column.id) {
            add(column, &delta, keeping: Self.share / 2)
        }
        for change in rest where !add(change, &delta, keeping: 0) { behind += 1 }
        for (kind, ids) in delta.removed(lists) { add(kind, ids, &delta) }
    }

    /// - Returns: Whether there was room for it, with `spare` bytes left.
    private mutating func add(_ change: DeltaEncoder.Change, _ delta: inout DeltaEncoder, keeping spare: Int) -> Bool {
        guard room > spare + 16 else { return false }
        let json = change.json
        let list = rows.firstIndex { $0.kind == change.kind }
        let size = json.count + 1 + (list == nil ? change.kind.name.utf8.count + 6 : 0)
        guard size <= room - spare else { return false }
        room -= size
        delta.markSent(change)
        if let list {
            rows[list].json.comma()
            rows[list].json.raw(json.bytes)
        } else {
            rows.append((change.kind, json))
        }
        return true
    }

    private mutating func add(_ name: String, _ json: [UInt8], _ delta: inout DeltaEncoder) {
        let size = json.count + name.utf8.count + 4
        guard size <= room else { return }
        room -= size
        if headers.count > 0 { headers.comma() }
        headers.key(name)
        headers.raw(json)
        delta.markSent(header: name, json)
    }

    private mutating func add(_ change: DeltaEncoder.Column, _ delta: inout DeltaEncoder, keeping spare: Int) {
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
        delta.markSent(change)
    }

    private mutating func add(_ kind: ListKind, _ ids: [Int], _ delta: inout DeltaEncoder) {
        var kept: [Int] = []
        room -= kind.name.utf8.count + 6
        for id in ids {
            let size = String(id).utf8.count + 1
            guard size <= room else { break }
            room -= size
            kept.append(id)
            delta.markRemoved(kind, id)
        }
        if !kept.isEmpty { removed.append((kind, kept)) }
    }

    /// The tick.
    var json: [UInt8] {
        var json = JSONText(capacity: Self.limit)
        json.raw("{\"seq\":" as StaticString)
        json.integer(seq)
        json.raw(",\"at\":" as StaticString)
        json.number(at)
        if headers.count > 0 {
            json.raw(",\"set\":{" as StaticString)
            json.raw(headers.bytes)
            json.raw("}" as StaticString)
        }
        writeRows(&json)
        writeRemoved(&json)
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
        for (index, list) in rows.enumerated() {
            if index > 0 { json.comma() }
            json.key(list.kind.name)
            json.raw("[" as StaticString)
            json.raw(list.json.bytes)
            json.raw("]" as StaticString)
        }
        json.raw("}" as StaticString)
    }

    private func writeRemoved(_ json: inout JSONText) {
        guard !removed.isEmpty else { return }
        json.raw(",\"gone\":{" as StaticString)
        for (index, list) in removed.enumerated() {
            if index > 0 { json.comma() }
            json.key(list.kind.name)
            json.list(list.ids) { $0.integer($1) }
        }
        json.raw("}" as StaticString)
    }
}
