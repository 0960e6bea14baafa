// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

/// A row with a field of each schedule.
private struct TestRow: SnapshotRow {
    let id: Int
    var name = "a"
    var count = 0
    var long = "b"
    var once = "c"

    static let fields: [RowField<Self>] = [
        RowField("name") { .words($0.name) },
        RowField("count") { .count($0.count) },
        RowField("long") { .words($0.long) },
        RowField("once", .onceWithTheRow) { .words($0.once) },
    ]
}

@Suite("Rows and their changes")
struct DeltaTests {
    private func sent(_ delta: inout DeltaEncoder, _ rows: [TestRow], seq: Int) throws -> [[String: JSONItem]] {
        let changes = delta.changes([EncodedList(.calls, rows)], seq: seq)
        for change in changes { delta.markSent(change) }
        return try changes.map { try JSONItem($0.json.bytes).object }
    }

    @Test("A row is sent whole once, and then each field that changes, by its name")
    func fields() throws {
        var delta = DeltaEncoder()
        var row = TestRow(id: 3)
        let whole: [String: JSONItem] = [
            "id": .value(3), "name": .text("a"), "count": .value(0), "long": .text("b"), "once": .text("c"),
        ]
        #expect(try sent(&delta, [row], seq: 1) == [whole])
        #expect(try sent(&delta, [row], seq: 2).isEmpty)
        row.count = 7
        #expect(try sent(&delta, [row], seq: 3) == [["id": .value(3), "count": .value(7)]])
    }

    @Test("A long field is sent in the tick of its change, and a field of the row's first tick never again")
    func schedules() throws {
        var delta = DeltaEncoder()
        var row = TestRow(id: 4)
        _ = try sent(&delta, [row], seq: 1)
        (row.long, row.once) = ("B", "C")
        #expect(try sent(&delta, [row], seq: 2) == [["id": .value(4), "long": .text("B")]])
        #expect(try sent(&delta, [row], seq: 3).isEmpty)
    }

    @Test("Rows are told apart by their ids: one that is inserted or that goes changes no other", arguments: [1, 2, 3])
    func order(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var delta = DeltaEncoder()
        var rows = (0..<9).map { TestRow(id: $0, name: "row \($0)") }
        #expect(try sent(&delta, rows, seq: 1).count == 9)
        rows.shuffle(using: &random)
        #expect(try sent(&delta, rows, seq: 2).isEmpty)
        rows.insert(TestRow(id: 9), at: Int.random(in: 0...9, using: &random))
        let gone = rows.remove(at: Int.random(in: 0..<9, using: &random)).id
        #expect(try sent(&delta, rows, seq: 3).compactMap { $0["id"]?.number } == (gone == 9 ? [] : [9]))
        #expect(delta.removed([EncodedList(.calls, rows)]).map(\.ids) == (gone == 9 ? [] : [[gone]]))
    }

    @Test("Each list has the fields of the schema, and no others", arguments: ListKind.allCases)
    func schema(_ kind: ListKind) throws {
        let path = Repository.root.appending(path: "Dashboards/web/snapshot-1.schema.json")
        let schema = try JSONItem([UInt8](Data(contentsOf: path))).object
        let properties = schema["$defs"]?.object[kind.name]?.object["properties"]?.object ?? [:]
        var ids = RowIDs()
        let history = History(.live, try Telemetry().readings, &ids.components)
        var rows = RowSource(observed: Observation(), history: history, ids: ids)
        let list = kind.list(&rows)
        #expect(Set(list.names + ["id"]) == Set(properties.keys))
        #expect(Set(list.names).count == list.names.count)
    }
}
