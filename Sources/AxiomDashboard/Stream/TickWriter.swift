// SPDX-License-Identifier: Apache-2.0

/// Writes one tick, the most important changes first. Changes that do not fit wait for the next tick.
struct TickWriter {
    /// The most bytes of a tick as it is sent to a browser: compressed.
    static let compressedLimit = 32_768
    /// The most bytes of a tick in JSON. Rows of numbers compress to an eighth of that.
    static let limit = 262_144
    /// A tick in JSON of this size is within ``compressedLimit`` whatever it contains.
    static let safeLimit = 30_000
    /// The bytes of the braces, names and numbers around the changes.
    private static let frame = 240
    /// After so many changes that did not fit, the tick is full.
    private static let attempts = 20

    let seq: Int
    let at: Double
    private var rows: [(kind: ListKind, json: [JSONText])] = []
    private var columns: [JSONText] = []
    private var removed: [(kind: ListKind, ids: [Int])] = []
    private var headers = JSONText()
    private var points = JSONText()
    private var room: Int
    /// How many changes did not fit.
    private(set) var behind = 0
    /// How many ticks the oldest change of a list has waited, for the lists with changes that did not fit.
    private(set) var ages: [ListKind: Int] = [:]

    init(seq: Int, at: Double, _ points: TickPoints, limit: Int = Self.limit) {
        self.seq = seq
        self.at = at
        self.points.member("points") { points.fine.write(to: &$0) }
        if let coarse = points.coarse { self.points.member("coarse") { coarse.write(to: &$0) } }
        room = limit - Self.frame - self.points.count
    }

    // MARK: - Filling

    /// Adds the changes that fit, and marks them as sent.
    mutating func fill(
        _ delta: inout DeltaEncoder,
        _ lists: [EncodedList],
        headers: [String: [UInt8]],
        columns: [DeltaEncoder.Column]
    ) {
        for (name, json) in delta.changes(headers) { add(name, json, &delta) }
        for column in columns where delta.hasChanged(column) && delta.hasSent(.latency, column.id) {
            add(column, &delta)
        }
        for change in delta.changes(lists, seq: seq) where !add(change, &delta) {
            behind += 1
            ages[change.kind] = max(ages[change.kind] ?? 0, 1 + seq - change.waitingSince)
        }
        for (kind, ids) in delta.removed(lists) { add(kind, ids, &delta) }
    }

    /// - Returns: Whether there was room for it.
    private mutating func add(_ change: DeltaEncoder.Change, _ delta: inout DeltaEncoder) -> Bool {
        guard room > 16, behind < Self.attempts else { return false }
        let json = change.json
        let list = rows.firstIndex { $0.kind == change.kind }
        let size = json.count + 1 + (list == nil ? change.kind.name.utf8.count + 6 : 0)
        guard size <= room else { return false }
        room -= size
        delta.markSent(change)
        if let list { rows[list].json.append(json) } else { rows.append((change.kind, [json])) }
        return true
    }

    private mutating func add(_ name: String, _ json: [UInt8], _ delta: inout DeltaEncoder) {
        let size = json.count + name.utf8.count + 4
        guard size <= room else { return }
        room -= size
        headers.member(name, json: json)
        delta.markSent(header: name, json)
    }

    private mutating func add(_ change: DeltaEncoder.Column, _ delta: inout DeltaEncoder) {
        var json = JSONText()
        json.raw("[" as StaticString)
        json.integer(change.id)
        json.comma()
        json.number(change.start)
        json.comma()
        change.column.write(to: &json)
        json.raw("]" as StaticString)
        guard json.count + 1 <= room else { return }
        room -= json.count + 1
        columns.append(json)
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

    // MARK: - Writing

    var json: [UInt8] {
        var json = JSONText(capacity: 4_096)
        json.object { json in
            json.member("seq", seq)
            json.member("at", at)
            writeObject("set", isEmpty: headers.count == 0, &json) { $0.raw(headers.bytes) }
            writeObject("rows", isEmpty: rows.isEmpty, &json) { json in
                for (kind, rows) in rows { json.member(kind.name) { json in json.list(rows) { $0.raw($1.bytes) } } }
            }
            writeObject("gone", isEmpty: removed.isEmpty, &json) { json in
                for (kind, ids) in removed { json.member(kind.name) { json in json.list(ids) { $0.integer($1) } } }
            }
            json.comma()
            json.raw(points.bytes)
            if !columns.isEmpty { json.member("columns") { json in json.list(columns) { $0.raw($1.bytes) } } }
            if behind > 0 { json.member("behind", behind) }
            writeObject("ages", isEmpty: behind == 0, &json) { json in
                for (kind, age) in ages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    json.member(kind.name, age)
                }
            }
        }
        return json.bytes
    }

    private func writeObject(
        _ name: String,
        isEmpty: Bool,
        _ json: inout JSONText,
        _ write: (inout JSONText) -> Void
    ) {
        if !isEmpty { json.member(name) { $0.object(write) } }
    }
}
