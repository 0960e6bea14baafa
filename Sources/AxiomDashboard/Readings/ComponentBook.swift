// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The numbers of component types: given once, in the order in which the types became known.
struct ComponentBook: Sendable {
    private(set) var descriptors: [ComponentDescriptor] = []
    private var ids: [ComponentDescriptor: Int] = [:]
    private var idsByName: [String: Int] = [:]

    mutating func id(_ descriptor: ComponentDescriptor) -> Int {
        if let id = ids[descriptor] { return id }
        let id = descriptors.count
        descriptors.append(descriptor)
        ids[descriptor] = id
        if idsByName[descriptor.name] == nil { idsByName[descriptor.name] = id }
        return id
    }

    /// The component type of this name; nil for a name of something else. Names are unique within an orchestrator.
    func id(named name: String) -> Int? { idsByName[name] }

    func name(_ id: Int) -> String { descriptors.indices.contains(id) ? descriptors[id].name : "" }
}

extension Value {
    /// The number of a component; null for none.
    static func component(_ id: Int?) -> Value {
        id.map { .integer(Int64($0)) } ?? .none
    }
}

/// Numbers for things that come and go: each its own for as long as it is there.
struct IDTable<Key: Hashable & Sendable>: Sendable {
    private var ids: [Key: Int] = [:]
    private var next = 0

    mutating func id(_ key: Key) -> Int {
        if let id = ids[key] { return id }
        defer { next += 1 }
        ids[key] = next
        return next
    }

    /// Forgets all others, so that the table does not grow with what is gone.
    mutating func keep(_ keys: some Sequence<Key>) {
        let kept = Set(keys)
        if kept.count < ids.count { ids = ids.filter { kept.contains($0.key) } }
    }
}
