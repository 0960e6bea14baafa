// SPDX-License-Identifier: Apache-2.0

/// An object of a file: a table says which member is which property, for reading and for writing. Members that the
/// table does not know are kept, and written after the others in the order in which they stood.
protocol Record: JSONConvertible, Hashable, Sendable {
    static var fields: [Field<Self>] { get }
    var unknown: UnknownMembers { get set }

    init()
}

/// Members of an object that this version does not know, from a later one of the same format.
struct UnknownMembers: Hashable, Sendable {
    var members: [JSON.Member] = []
}

/// A member of an object and the property that it is.
struct Field<Root>: Sendable {
    let name: String
    let read: @Sendable (inout Root, JSON?, String) throws(ProfileError) -> Void
    let write: @Sendable (Root, String) throws(ProfileError) -> JSON?

    init<Value: JSONConvertible>(_ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable) {
        self.name = name
        read = { (root, json, path) throws(ProfileError) in
            if let json {
                root[keyPath: property] = try Value(json: json, at: path)
            } else if let absent = Value.whenAbsent {
                root[keyPath: property] = absent
            } else {
                throw ProfileError(.damagedFile, "\(path) is missing")
            }
        }
        write = { (root, path) throws(ProfileError) in
            try root[keyPath: property].json(at: path)
        }
    }
}

extension Record {
    init(json: JSON, at path: String) throws(ProfileError) {
        guard case .object(let members) = json else { throw .unfit(json, at: path, needed: "an object") }
        self.init()
        var rest = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
        for field in Self.fields {
            try field.read(&self, rest.removeValue(forKey: field.name), Self.join(path, field.name))
        }
        unknown.members = members.filter { rest[$0.name] != nil }
    }

    func json(at path: String) throws(ProfileError) -> JSON? {
        var members: [JSON.Member] = []
        for field in Self.fields {
            if let value = try field.write(self, Self.join(path, field.name)) {
                members.append(JSON.Member(field.name, value))
            }
        }
        return .object(members + unknown.members)
    }

    private static func join(_ path: String, _ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }
}
