// SPDX-License-Identifier: Apache-2.0

/// An object of a baseline file. A table assigns its members to properties, for reading and for writing. Members that
/// the table does not have are kept, and written after the others in the order of their names.
protocol Record: JSONValue, Hashable, Sendable {
    static var fields: [Field<Self>] { get }
    var unknown: UnknownMembers { get set }

    init()
}

/// Members of an object that this version does not know: a later version of the same format wrote them.
struct UnknownMembers: Hashable, Sendable {
    var members: [JSON.Member] = []
}

/// A member of an object and its property. Foundation's decoder reads it; writing keeps the order of the table, which
/// Foundation's encoder would not.
struct Field<Root>: Sendable {
    let name: String
    let read: @Sendable (inout Root, KeyedDecodingContainer<MemberName>) throws -> Void
    let write: @Sendable (Root, String) throws(ProfileError) -> JSON?

    /// A member that must be there.
    init<Value: JSONValue>(_ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable) {
        self.name = name
        read = { root, members in
            root[keyPath: property] = try members.decode(Read<Value>.self, forKey: MemberName(name)).value
        }
        write = { (root, path) throws(ProfileError) in try root[keyPath: property].json(at: path) }
    }

    /// A member that may be absent.
    init<Value: JSONValue>(_ name: String, _ property: any WritableKeyPath<Root, Value?> & Sendable) {
        self.name = name
        read = { root, members in
            root[keyPath: property] = try members.decodeIfPresent(Read<Value>.self, forKey: MemberName(name))?.value
        }
        write = { (root, path) throws(ProfileError) in try root[keyPath: property]?.json(at: path) }
    }

    /// A member that has another form in the file than in memory.
    init<Value, Form: Record>(
        _ name: String,
        _ property: any WritableKeyPath<Root, Value> & Sendable,
        _ form: @escaping @Sendable (Value) -> Form,
        _ value: @escaping @Sendable (Form) throws(ProfileError) -> Value
    ) {
        self.name = name
        read = { root, members in
            let form = try members.decode(Read<Form>.self, forKey: MemberName(name)).value
            do throws(ProfileError) {
                root[keyPath: property] = try value(form)
            } catch {
                throw DecodingError.dataCorruptedError(
                    forKey: MemberName(name),
                    in: members,
                    debugDescription: error.message
                )
            }
        }
        write = { (root, path) throws(ProfileError) in try form(root[keyPath: property]).json(at: path) }
    }
}

extension Record {
    init(reading decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        self.init()
        for field in Self.fields { try field.read(&self, members) }
        let known = Set(Self.fields.map(\.name))
        let rest = members.allKeys.filter { !known.contains($0.stringValue) }
        unknown.members = try rest.sorted { JSON.isOrdered($0.stringValue, $1.stringValue) }.map {
            JSON.Member($0.stringValue, try members.decode(JSON.self, forKey: $0))
        }
    }

    func json(at path: String) throws(ProfileError) -> JSON {
        var members: [JSON.Member] = []
        for field in Self.fields {
            let place = path.isEmpty ? field.name : "\(path).\(field.name)"
            if let value = try field.write(self, place) { members.append(JSON.Member(field.name, value)) }
        }
        return .object(members + unknown.members)
    }
}

/// A value of a baseline file. Not `Codable`, because that would be a part of the public face of public types.
protocol JSONValue: SendableMetatype {
    init(reading decoder: any Decoder) throws

    /// A whole list, for types of which the decoder reads lists faster than elements; nil if that fails.
    static func list(_ decoder: any Decoder) -> [Self]?

    /// - Parameter path: Where the value stands, as `benchmarks[3].runs[0].wall`, for errors.
    /// - Throws: ``ProfileError`` with the code `invalidValue` for a number that is not finite.
    func json(at path: String) throws(ProfileError) -> JSON
}

/// Lets Foundation's decoder read a value.
struct Read<Value: JSONValue>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value = try Value(reading: decoder)
    }
}

extension JSONValue {
    static func list(_ decoder: any Decoder) -> [Self]? { nil }
}

extension JSONValue where Self: Decodable {
    init(reading decoder: any Decoder) throws {
        try self.init(from: decoder)
    }

    static func list(_ decoder: any Decoder) -> [Self]? {
        try? decoder.singleValueContainer().decode([Self].self)
    }
}

extension String: JSONValue {
    func json(at path: String) -> JSON { .string(self) }
}

extension Bool: JSONValue {
    func json(at path: String) -> JSON { .bool(self) }
}

extension FixedWidthInteger where Self: Decodable {
    /// Reads a number that must be whole. Foundation's own error for another number has no path.
    fileprivate init(whole decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = try? container.decode(Self.self) else {
            throw DecodingError.typeMismatch(
                Self.self,
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "must be a whole number in the range of \(Self.self)"
                )
            )
        }
        self = value
    }
}

extension Int: JSONValue {
    init(reading decoder: any Decoder) throws {
        try self.init(whole: decoder)
    }

    func json(at path: String) -> JSON { .number(String(self)) }
}

extension UInt64: JSONValue {
    init(reading decoder: any Decoder) throws {
        try self.init(whole: decoder)
    }

    func json(at path: String) -> JSON { .number(String(self)) }
}

extension Double: JSONValue {
    func json(at path: String) throws(ProfileError) -> JSON {
        guard isFinite else {
            throw ProfileError(.invalidValue, "\(path) is \(self), which JSON cannot hold: leave it out")
        }
        return .number(CanonicalJSON.number(self))
    }
}

extension Array: JSONValue where Element: JSONValue {
    init(reading decoder: any Decoder) throws {
        if let list = Element.list(decoder) {
            self = list
            return
        }
        // Element by element, which gives an error the index.
        var elements = try decoder.unkeyedContainer()
        self = []
        while !elements.isAtEnd { append(try elements.decode(Read<Element>.self).value) }
    }

    func json(at path: String) throws(ProfileError) -> JSON {
        var elements: [JSON] = []
        elements.reserveCapacity(count)
        for (index, element) in enumerated() { elements.append(try element.json(at: "\(path)[\(index)]")) }
        return .array(elements)
    }
}

/// Written in the order of the keys.
extension Dictionary: JSONValue where Key == String, Value: JSONValue {
    init(reading decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        self = [:]
        for name in members.allKeys {
            self[name.stringValue] = try members.decode(Read<Value>.self, forKey: name).value
        }
    }

    func json(at path: String) throws(ProfileError) -> JSON {
        var members: [JSON.Member] = []
        for (key, value) in sorted(by: { JSON.isOrdered($0.key, $1.key) }) {
            members.append(JSON.Member(key, try value.json(at: "\(path).\(key)")))
        }
        return .object(members)
    }
}
