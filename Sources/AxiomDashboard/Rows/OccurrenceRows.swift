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

    private var path: [ComponentDescriptor] { described.occurrence.sample.path }

    static let fields: [RowField<Self>] = [
        RowField("error") { .count($0.error) },
        RowField("component") { .count($0.component) },
        RowField("at") { .moment($0.at) },
        RowField("chain") { .words($0.described.occurrence.sample.chain, limit: 400) },
        RowField("action") { .words($0.described.action) },
        RowField("message") { .words($0.described.occurrence.sample.text, limit: 8_000) },
        RowField("outcome") { .term($0.described.occurrence.outcome.rawValue) },
        RowField("path") { row in .json { json in json.list(row.path) { $0.string($1.name) } } },
        RowField("trace") { .term($0.described.trace.map { "\($0)" }) },
        RowField("context") { $0.described.occurrence.sample.context?.value ?? .none },
    ]
}

extension ErrorContext {
    /// As an object of texts, with the attributes as another one. What its limits leave out is not in it.
    fileprivate var value: RowValue {
        let own = [("user", user), ("session", session), ("device", device), ("appVersion", appVersion)]
        return .object { json in
            json.member("attributes") { $0.texts(attributes.sorted { $0.key < $1.key }) }
            for case (let name, let text?) in own { json.member(name, text) }
        }
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
        return JSONText.document("axiom/errors", of: instance) { json in
            json.member("id", id)
            json.member("occurrences") { write(rows(of: [group]), to: &$0) }
        }.bytes
    }

    /// The snapshot, with the latest errors of all groups as its list `occurrences`.
    func adding(to snapshot: [UInt8]) -> [UInt8] {
        guard snapshot.last == UInt8(ascii: "}") else { return snapshot }
        var json = JSONText(capacity: snapshot.count + 1 << 16)
        json.raw(snapshot.dropLast())
        json.member("occurrences") { write(Array(rows(of: errors.groups).prefix(Self.exportLimit)), to: &$0) }
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
            json.object { json in
                json.member("id", row.id)
                for field in OccurrenceRow.fields { json.member(field.name, field.value(row)) }
            }
        }
    }
}
