// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// One of the latest errors of a group.
struct OccurrenceRow: SnapshotRow {
    let id: Int
    /// The id of the group's row.
    let error: Int
    let component: Int?
    let at: Double
    let described: DescribedOccurrence

    static let fields: [Field<Self>] = [
        .count("error") { $0.error },
        .count("component") { $0.component },
        .moment("at") { $0.at },
        .text("action") { $0.described.action },
        .text("message", limit: 8_000) { $0.described.occurrence.sample.text },
        .term("outcome") { $0.described.occurrence.outcome.rawValue },
        .json("path") { row, json in
            json.list(row.described.occurrence.sample.path) { $0.string($1.name) }
        },
        .term("trace") { $0.described.trace.map { "\($0)" } },
        Field("context") { $0.described.occurrence.sample.context?.value ?? .none },
    ]
}

extension ErrorContext {
    /// As an object of texts, with the attributes as another one. What its limits leave out is not in it.
    fileprivate var value: Value {
        var json = JSONText()
        let own = [("user", user), ("session", session), ("device", device), ("appVersion", appVersion)]
        json.raw("{\"attributes\":" as StaticString)
        Self.write(attributes.sorted { $0.key < $1.key }, to: &json)
        for case (let name, let text?) in own {
            json.comma()
            json.key(name)
            json.string(text)
        }
        json.raw("}" as StaticString)
        return .json(json.bytes)
    }

    private static func write(_ attributes: [(key: String, value: String)], to json: inout JSONText) {
        json.raw("{" as StaticString)
        for (index, attribute) in attributes.enumerated() {
            if index > 0 { json.comma() }
            json.string(attribute.key)
            json.raw(":" as StaticString)
            json.string(attribute.value)
        }
        json.raw("}" as StaticString)
    }
}

/// Writes the latest errors of groups when they are requested, so that ticks do not carry them.
struct OccurrenceWriter: Sendable {
    /// The most errors of an export.
    static let exportLimit = 2_000

    let instance: String
    let ids: RowIDs
    let grid: TimeGrid
    let errors: ErrorMonitor.Report
    let monitor: ErrorMonitor

    /// `{"schema":"axiom/errors",…}`; nil if there is no group with this id. Cost: about 1 ms.
    func json(ofGroup id: Int) -> [UInt8]? {
        guard let fingerprint = ids.errors.key(id) ?? nil,
            let group = errors.groups.first(where: { $0.fingerprint == fingerprint })
        else { return nil }
        var json = JSONText()
        json.raw("{\"schema\":\"axiom/errors\",\"version\":1,\"instance\":" as StaticString)
        json.string(instance)
        json.raw(",\"id\":" as StaticString)
        json.integer(id)
        json.raw(",\"occurrences\":" as StaticString)
        write(rows(of: [group]), to: &json)
        json.raw("}" as StaticString)
        return json.bytes
    }

    /// The snapshot, with the latest errors of all groups as its list `occurrences`.
    func adding(to snapshot: [UInt8]) -> [UInt8] {
        guard snapshot.last == UInt8(ascii: "}") else { return snapshot }
        var json = JSONText(capacity: snapshot.count + 1 << 16)
        json.raw(snapshot.dropLast())
        json.raw(",\"occurrences\":" as StaticString)
        write(Array(rows(of: errors.groups).prefix(Self.exportLimit)), to: &json)
        json.raw("}" as StaticString)
        return json.bytes
    }

    private func rows(of groups: [ErrorGroup]) -> [OccurrenceRow] {
        zip(groups, monitor.occurrences(of: groups)).flatMap { group, occurrences -> [OccurrenceRow] in
            guard let error = ids.errors.known(group.fingerprint) else { return [] }
            let component = ids.components.id(named: group.fingerprint.component.name)
            return occurrences.map { described in
                OccurrenceRow(
                    id: Int(clamping: described.occurrence.number),
                    error: error,
                    component: component,
                    at: grid.seconds(described.occurrence.sample.time),
                    described: described
                )
            }
        }
    }

    private func write(_ rows: [OccurrenceRow], to json: inout JSONText) {
        json.list(rows) { json, row in
            json.raw("{\"id\":" as StaticString)
            json.integer(row.id)
            for field in OccurrenceRow.fields {
                json.comma()
                json.key(field.name)
                field.value(row).write(to: &json)
            }
            json.raw("}" as StaticString)
        }
    }
}
