// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import AxiomMetrics

extension DashboardModel {
    /// What stands beside the lists and changes seldom.
    var facts: [String: [UInt8]] {
        ["app": app, "bounds": boundsJSON, "baseline": baseline, "dropped": dropped, "promql": PromQL.json]
    }

    /// The present columns of all heat maps, and those before them.
    var columns: [ColumnChange] {
        latency.ids.flatMap { id -> [ColumnChange] in
            guard let ring = latency.subjects[id]?.fine, ring.count > 0 else { return [] }
            return [ring.lastStart - ring.step, ring.lastStart].compactMap { start in
                ring.value(at: start).map { ColumnChange(id: id, start: start, column: $0) }
            }
        }
    }

    private var app: [UInt8] {
        var json = JSONText()
        json.raw("{\"name\":" as StaticString)
        Value.words(name).write(to: &json)
        json.raw(",\"about\":" as StaticString)
        Value.words(about, limit: 300).write(to: &json)
        json.raw(",\"startedAt\":" as StaticString)
        json.number(startedAt)
        json.raw("}" as StaticString)
        return json.bytes
    }

    private var about: String {
        let build = telemetry.map { "\($0.build), " } ?? ""
        return build + "pid \(ProcessIdentity.pid)"
    }

    private var boundsJSON: [UInt8] {
        let lifetimes = registry.collect(families: ["axiom_component_lifetime_seconds"])[0]
        var json = JSONText()
        json.raw("{\"latency\":" as StaticString)
        json.list(actions.bounds) { $0.number($1) }
        json.raw(",\"lifetime\":" as StaticString)
        json.list(lifetimes?.definition.buckets.upperBounds ?? []) { $0.number($1) }
        json.raw("}" as StaticString)
        return json.bytes
    }

    private var baseline: [UInt8] {
        guard let identity = telemetry?.regressions.baselineIdentity else { return Array("{\"loaded\":false}".utf8) }
        var json = JSONText()
        json.raw("{\"loaded\":true,\"name\":" as StaticString)
        Value.words(identity.name).write(to: &json)
        json.raw(",\"recordedAt\":" as StaticString)
        json.number(ProcessIdentity.seconds(iso8601: identity.recordedAt))
        json.raw("}" as StaticString)
        return json.bytes
    }

    private var dropped: [UInt8] {
        var json = JSONText()
        json.raw("{\"instances\":" as StaticString)
        json.integer(telemetry?.instances.dropped ?? 0)
        json.raw(",\"events\":" as StaticString)
        json.integer(feed.dropped)
        json.raw(",\"errors\":" as StaticString)
        json.integer(telemetry?.errors.report.others.groups ?? 0)
        json.raw("}" as StaticString)
        return json.bytes
    }

    /// Everything that is known, as it was at the latest sample.
    func snapshot() -> [UInt8] {
        var json = JSONText(capacity: 1 << 18)
        json.raw("{\"schema\":\"axiom/snapshot\",\"version\":1,\"seq\":" as StaticString)
        json.integer(seq)
        json.raw(",\"instance\":" as StaticString)
        json.string(instance)
        json.raw(",\"capturedAt\":" as StaticString)
        json.number(at)
        json.raw(",\"window\":60,\"tick\":1" as StaticString)
        for (name, fact) in facts.sorted(by: { $0.key < $1.key }) {
            json.comma()
            json.key(name)
            json.raw(fact)
        }
        for list in lists {
            json.comma()
            json.key(list.kind.name)
            json.list(list.rows) { json, row in whole(row, list.kind).write(list.kind, nil, to: &json) }
        }
        json.raw(",\"history\":{\"fine\":" as StaticString)
        history.fine.write(to: &json, now: at)
        json.raw(",\"coarse\":" as StaticString)
        history.coarse.write(to: &json, now: at)
        json.raw("}}" as StaticString)
        return json.bytes
    }

    /// The row with what a reader of ticks keeps up to date by itself: the columns of a heat map, of which a tick tells
    /// when they change, and the spark of a component.
    private func whole(_ row: Row, _ kind: ListKind) -> Row {
        var row = row
        if kind == .components, let place = kind.fields.firstIndex(of: "spark") { row.values[place] = spark(row.id) }
        guard kind == .latency, let subject = latency.subjects[row.id] else { return row }
        for (place, ring) in [(3, subject.fine), (4, subject.coarse)] {
            var json = JSONText()
            ring.write(to: &json)
            row.values[place] = .json(json.bytes)
        }
        return row
    }
}
