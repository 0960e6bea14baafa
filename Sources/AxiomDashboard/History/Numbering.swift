// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// The ids of component types, given once, in the order in which the types became known.
struct ComponentIndex: Sendable {
    private(set) var descriptors: [ComponentDescriptor] = []
    private var ids: [ComponentDescriptor: Int] = [:]
    private var idsByName: [String: Int] = [:]

    /// The id of a component type; a new one if the type is new.
    mutating func id(_ descriptor: ComponentDescriptor) -> Int {
        if let id = ids[descriptor] { return id }
        let id = descriptors.count
        descriptors.append(descriptor)
        ids[descriptor] = id
        if idsByName[descriptor.name] == nil { idsByName[descriptor.name] = id }
        return id
    }

    /// The id of the component type with this name; nil if there is none. Names are unique within an orchestrator.
    func id(named name: String) -> Int? { idsByName[name] }

    func name(_ id: Int) -> String { descriptors.indices.contains(id) ? descriptors[id].name : "" }
}

/// Ids for rows that come and go: a key keeps its id for as long as it is in the table, and no id is used twice.
struct IDTable<Key: Hashable & Sendable>: Sendable {
    private var ids: [Key: Int] = [:]
    private var next = 0

    mutating func id(_ key: Key) -> Int {
        if let id = ids[key] { return id }
        defer { next += 1 }
        ids[key] = next
        return next
    }

    /// The id of a key; nil if it has none.
    func known(_ key: Key) -> Int? { ids[key] }

    /// The key with this id; nil if there is none.
    func key(_ id: Int) -> Key? {
        ids.first { $0.value == id }?.key
    }

    /// Removes all other keys, so that the table does not grow with rows that are gone.
    mutating func keep(_ keys: some Sequence<Key>) {
        let kept = Set(keys)
        if kept.count < ids.count { ids = ids.filter { kept.contains($0.key) } }
    }
}

/// The ids of all rows whose readings have none.
struct RowIDs: Sendable {
    var components = ComponentIndex()
    var circuits = IDTable<String>()
    /// nil stands for the groups that were dropped.
    var errors = IDTable<ErrorFingerprint?>()
    var budgets = IDTable<String>()
    var regressions = IDTable<String>()
    var edges = IDTable<ComponentDependency>()
    var policies = IDTable<String>()
    var runtime = IDTable<String>()
    var telemetry = IDTable<String>()
    var slowest = IDTable<SlowAction>()
    /// By the family and the label values.
    var signals = IDTable<[String]>()
}
