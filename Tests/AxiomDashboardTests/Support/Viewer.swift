// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A reader that does with a snapshot and ticks what `store.js` does.
struct Viewer {
    enum Refusal: Error {
        case hole
    }

    static let lists = [
        "problems", "components", "calls", "instances", "slowest", "errors", "budgets", "circuits", "policies",
        "regressions", "hangs", "edges", "runtime", "telemetry", "events", "latency", "capabilities", "signals",
    ]
    static let facts = ["app", "baseline", "dropped", "bounds", "promql", "panels"]

    private(set) var seq: Int
    private(set) var at: Double
    let instance: String
    private(set) var facts: [String: [String: JSONItem]] = [:]
    private(set) var lists: [String: [Int: [String: JSONItem]]] = [:]
    private(set) var rings: [String: (start: Double, step: Double, series: [String: [JSONItem]])] = [:]
    private(set) var behind = 0
    /// The age of the oldest row of each list that waits, in ticks.
    private(set) var ages: [String: Int] = [:]
    /// Whether a spark was continued with a rate that was not sent yet.
    private var hasOldSparks = false

    init(_ json: [UInt8]) throws {
        let snapshot = try JSONItem(json).object
        #expect(snapshot["schema"] == .text("axiom/snapshot"))
        seq = Int(snapshot["seq"]?.number ?? -1)
        at = snapshot["capturedAt"]?.number ?? 0
        instance = snapshot["instance"]?.string ?? ""
        for name in Self.facts { facts[name] = snapshot[name]?.object }
        for name in Self.lists {
            lists[name] = [:]
            put(name, snapshot[name]?.list ?? [])
        }
        for (name, ring) in snapshot["history"]?.object ?? [:] { rings[name] = Self.ring(ring) }
        for row in snapshot["latency"]?.list ?? [] {
            rings["latency\(Int(row.object["id"]?.number ?? -1))"] = row.object["fine"].map(Self.ring)
        }
    }

    private static func ring(_ item: JSONItem) -> (start: Double, step: Double, series: [String: [JSONItem]]) {
        let ring = item.object
        let series = ring["series"]?.object.mapValues(\.list) ?? [:]
        return (ring["start"]?.number ?? 0, ring["step"]?.number ?? 1, series)
    }

    private mutating func put(_ name: String, _ rows: [JSONItem]) {
        for row in rows.map(\.object) {
            let id = Int(row["id"]?.number ?? -1)
            lists[name]?[id, default: [:]].merge(row) { _, new in new }
        }
    }

    mutating func apply(_ tick: JSONItem) throws {
        let fields = tick.object
        guard fields["seq"]?.number == Double(seq + 1) else { throw Refusal.hole }
        let now = fields["at"]?.number ?? 0
        for (name, fact) in fields["set"]?.object ?? [:] { facts[name, default: [:]].merge(fact.object) { $1 } }
        for name in Self.lists {
            put(name, fields["rows"]?.object[name]?.list ?? [])
            for row in name == "latency" ? fields["rows"]?.object[name]?.list ?? [] : [] {
                let id = "latency\(Int(row.object["id"]?.number ?? -1))"
                if rings[id] == nil { rings[id] = row.object["fine"].map(Self.ring) }
            }
            for id in fields["gone"]?.object[name]?.list ?? [] { lists[name]?[Int(id.number ?? -1)] = nil }
        }
        append("fine", now - 1, fields["points"]?.object, 900)
        append("coarse", now - 60, fields["coarse"]?.object, 1_440)
        for column in (fields["columns"]?.list ?? []).map(\.list) {
            let values = Dictionary(uniqueKeysWithValues: zip(["p50", "p90", "p99", "counts"], column[2...]))
            append("latency\(Int(column[0].number ?? -1))", column[1].number ?? 0, values, 90)
        }
        if (now / 10).rounded(.down) > (at / 10).rounded(.down) { turnSparks() }
        let isTurn = (now / 10).rounded(.down) > (at / 10).rounded(.down)
        (seq, at, behind) = (seq + 1, now, Int(fields["behind"]?.number ?? 0))
        ages = (fields["ages"]?.object ?? [:]).compactMapValues { $0.number.map { Int($0) } }
        if isTurn, behind > 0 { hasOldSparks = true }
    }

    private mutating func turnSparks() {
        for (id, row) in lists["components"] ?? [:] {
            let spark = (row["spark"]?.list ?? []) + [row["rate"] ?? .null]
            lists["components"]?[id]?["spark"] = .items(Array(spark.suffix(30)))
        }
    }

    private mutating func append(_ name: String, _ from: Double, _ values: [String: JSONItem]?, _ limit: Int) {
        guard let values, var ring = rings[name] else { return }
        let size = ring.series.values.map(\.count).max() ?? 0
        let far = Int(((from - ring.start) / ring.step).rounded())
        if size == 0 || far > size + limit { ring = (from, ring.step, [:]) }
        let index = ring.start == from ? 0 : max(size - 1, far)
        for key in Set(ring.series.keys).union(values.keys) {
            var series = ring.series[key] ?? []
            while series.count <= index { series.append(.null) }
            series[index] = values[key] ?? .null
            ring.series[key] = Array(series.suffix(limit))
        }
        if index + 1 > limit { ring.start += Double(index + 1 - limit) * ring.step }
        rings[name] = ring
    }

    /// What a reader of `other` sees and this one does not, as text.
    func differences(from other: Viewer) -> [String] {
        var found: [String] = []
        for name in Self.lists {
            let (mine, its) = (lists[name] ?? [:], other.lists[name] ?? [:])
            if Set(mine.keys) != Set(its.keys) { found.append("\(name): \(mine.keys.sorted()) \(its.keys.sorted())") }
            for (id, row) in mine {
                for field in Set(row.keys).union(its[id]?.keys ?? [:].keys) {
                    if ["fine", "coarse"].contains(field) || (hasOldSparks && field == "spark") { continue }
                    let (a, b) = (row[field] ?? .null, its[id]?[field] ?? .null)
                    if a != b { found.append("\(name) \(id) \(field): \(a) \(b)") }
                }
            }
        }
        if facts != other.facts { found.append("facts") }
        for name in ["fine", "coarse", "latency0"] {
            let (mine, its) = (rings[name], other.rings[name])
            if mine?.series != its?.series { found.append("\(name)") }
            if mine?.series.isEmpty == false, mine?.start != its?.start { found.append("\(name) start") }
        }
        return found
    }
}

/// JSON as a value.
enum JSONItem: Hashable {
    case null
    case flag(Bool)
    case value(Double)
    case text(String)
    case items([JSONItem])
    case fields([String: JSONItem])

    init(_ json: [UInt8]) throws {
        self.init(try JSONSerialization.jsonObject(with: Data(json)))
    }

    private init(_ any: Any) {
        switch any {
        case let text as String: self = .text(text)
        case let number as NSNumber:
            let isFlag = String(cString: number.objCType) == "c"
            self = isFlag ? .flag(number.boolValue) : .value(number.doubleValue)
        case let list as [Any]: self = .items(list.map { JSONItem($0) })
        case let object as [String: Any]: self = .fields(object.mapValues { JSONItem($0) })
        default: self = .null
        }
    }

    var number: Double? { if case .value(let value) = self { value } else { nil } }
    var string: String? { if case .text(let text) = self { text } else { nil } }
    var list: [JSONItem] { if case .items(let items) = self { items } else { [] } }
    var object: [String: JSONItem] { if case .fields(let fields) = self { fields } else { [:] } }
}
