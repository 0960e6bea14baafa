// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

struct StateJSON {
    /// The most changes of one answer.
    private static let changeLimit = 100
    /// The most bytes of a changed part.
    private static let partLimit = 200

    let origin: DocumentOrigin

    func list(_ stores: [InspectedStore], _ kept: (states: Int, bytes: Int, dropped: UInt64)) -> JSONText {
        origin.document("axiom/states") { json in
            json.member("kept") { json in
                json.object { json in
                    json.member("states", kept.states)
                    json.member("bytes", kept.bytes)
                    json.member("dropped", kept.dropped)
                    json.member("limit", StateInspector.byteLimit)
                }
            }
            json.member("clients") { json in
                json.list(stores) { json, store in json.object { write(store, &$0) } }
            }
        }
    }

    func state(_ state: InspectedState) -> JSONText {
        origin.document("axiom/state") { json in
            write(state.store, &json)
            json.member("shown", state.update)
            json.member("before", .count(state.before))
            json.member("changes") { json in json.list(state.changes.prefix(Self.changeLimit)) { write($1, &$0) } }
            json.member("more", max(0, state.changes.count - Self.changeLimit))
            json.member("tree") { write(state.tree, &$0) }
            json.member("list") { json in json.list(state.updates) { write($1, &$0) } }
        }
    }

    private func write(_ store: InspectedStore, _ json: inout JSONText) {
        json.member("id", store.id)
        json.member("component", store.client.name)
        json.member("number", store.instance)
        json.member("type", store.type.clipped(RowValue.textLimit))
        json.member("updates", store.update)
        json.member("bytes", store.bytes)
        json.member("kept", store.kept)
        json.member("dropped", store.dropped)
        json.member("subscribers") { json in
            json.list(store.subscribers) { json, subscriber in
                json.object { json in
                    json.member("by", subscriber.component?.name)
                    json.member("pending", subscriber.pending)
                    json.member("lag", .measured(subscriber.oldest.map { max(0, origin.now.seconds(since: $0)) } ?? 0))
                }
            }
        }
    }

    private func write(_ update: InspectedUpdate, _ json: inout JSONText) {
        json.object { json in
            json.member("update", update.update)
            json.member("at", origin.moment(update.at))
            json.member("bytes", update.bytes)
            json.member("component", update.cause?.component?.name)
            json.member("action", update.isFirst ? nil : update.cause?.action)
            json.member("trace", update.cause?.trace.description)
        }
    }

    private func write(_ change: StateChange, _ json: inout JSONText) {
        json.object { json in
            json.member("path") { json in json.list(change.path) { $0.string($1) } }
            json.member("before", change.before?.line(Self.partLimit))
            json.member("after", change.after?.line(Self.partLimit))
        }
    }

    private func write(_ tree: StateTree, _ json: inout JSONText, name: String? = nil) {
        json.object { json in
            if let name { json.member("name", name) }
            if !tree.type.isEmpty { json.member("type", tree.type) }
            if tree.kind == .leaf || !tree.text.isEmpty { json.member("text", tree.text) }
            guard tree.kind != .leaf else { return }
            json.member("children") { json in json.list(tree.children) { write($1.tree, &$0, name: $1.name) } }
        }
    }
}
