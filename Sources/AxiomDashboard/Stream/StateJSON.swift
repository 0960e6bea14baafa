// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// Writes states in JSON.
struct StateJSON {
    /// The most changes of one answer.
    private static let changeLimit = 100
    /// The most bytes of a changed part.
    private static let partLimit = 200

    private let instance: String
    private let grid: TimeGrid
    private let now: Instant

    init(_ timing: (instance: String, grid: TimeGrid, now: Instant)) {
        (instance, grid, now) = timing
    }

    func list(_ stores: [InspectedStore], _ kept: (states: Int, bytes: Int, dropped: UInt64)) -> JSONText {
        var json = head("axiom/states")
        json.raw(",\"kept\":" as StaticString)
        object(&json) { json in
            json.integer("states", kept.states)
            json.integer("bytes", kept.bytes)
            json.integer("dropped", kept.dropped)
            json.integer("limit", StateInspector.byteLimit)
        }
        json.raw(",\"clients\":" as StaticString)
        json.list(stores) { json, store in object(&json) { write(store, &$0) } }
        json.raw("}" as StaticString)
        return json
    }

    func state(_ state: InspectedState) -> JSONText {
        var json = head("axiom/state")
        json.comma()
        write(state.store, &json)
        json.integer("shown", state.update)
        json.field("before") { json in state.before.map { json.integer($0) } ?? json.null() }
        json.field("changes") { json in json.list(state.changes.prefix(Self.changeLimit)) { write($1, &$0) } }
        json.integer("more", max(0, state.changes.count - Self.changeLimit))
        json.field("tree") { write(state.tree, &$0) }
        json.field("list") { json in json.list(state.updates) { write($1, &$0) } }
        json.raw("}" as StaticString)
        return json
    }

    private func head(_ schema: String) -> JSONText {
        var json = JSONText(capacity: 4_096)
        json.raw("{\"schema\":" as StaticString)
        json.string(schema)
        json.raw(",\"version\":1,\"instance\":" as StaticString)
        json.string(instance)
        json.raw(",\"at\":" as StaticString)
        Value.moment(grid.seconds(now)).write(to: &json)
        return json
    }

    private func write(_ store: InspectedStore, _ json: inout JSONText) {
        json.integer("id", store.id)
        json.text("component", store.client.name)
        json.integer("number", store.instance)
        json.text("type", store.type.clipped(Value.textLimit))
        json.integer("updates", store.update)
        json.integer("bytes", store.bytes)
        json.integer("kept", store.kept)
        json.integer("dropped", store.dropped)
        json.field("subscribers") { json in
            json.list(store.subscribers) { json, subscriber in
                object(&json) { json in
                    json.text("by", subscriber.component?.name)
                    json.integer("pending", subscriber.pending)
                    let lag = subscriber.oldest.map { max(0, now.seconds(since: $0)) } ?? 0
                    json.field("lag") { Value.measured(lag).write(to: &$0) }
                }
            }
        }
    }

    private func write(_ update: InspectedUpdate, _ json: inout JSONText) {
        object(&json) { json in
            json.integer("update", update.update)
            json.field("at") { Value.moment(grid.seconds(update.at)).write(to: &$0) }
            json.integer("bytes", update.bytes)
            json.text("component", update.cause?.component?.name)
            json.text("action", update.isFirst ? nil : update.cause?.action)
            json.text("trace", update.cause?.trace.description)
        }
    }

    private func write(_ change: StateChange, _ json: inout JSONText) {
        object(&json) { json in
            json.field("path") { $0.list(change.path) { $0.string($1) } }
            json.text("before", change.before?.line(Self.partLimit))
            json.text("after", change.after?.line(Self.partLimit))
        }
    }

    private func write(_ tree: StateTree, _ json: inout JSONText, name: String? = nil) {
        object(&json) { json in
            if let name { json.text("name", name) }
            if !tree.type.isEmpty { json.text("type", tree.type) }
            if tree.kind == .leaf || !tree.text.isEmpty { json.text("text", tree.text) }
            guard tree.kind != .leaf else { return }
            json.field("children") { json in json.list(tree.children) { write($1.tree, &$0, name: $1.name) } }
        }
    }

    private func object(_ json: inout JSONText, _ write: (inout JSONText) -> Void) {
        json.raw("{" as StaticString)
        write(&json)
        json.raw("}" as StaticString)
    }
}

extension JSONText {
    /// `"name":value`, after a comma unless it is the first of its object.
    fileprivate mutating func field(_ name: String, _ write: (inout JSONText) -> Void) {
        if let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: ",") { comma() }
        key(name)
        write(&self)
    }

    fileprivate mutating func integer(_ name: String, _ value: some FixedWidthInteger) {
        field(name) { $0.integer(value) }
    }

    fileprivate mutating func text(_ name: String, _ text: String?) {
        field(name) { json in text.map { json.string($0) } ?? json.null() }
    }

    fileprivate mutating func null() {
        raw("null" as StaticString)
    }
}
