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

/// A member of an object and its property. Writing keeps the order of the table, which Foundation's encoder would not.
struct Field<Root>: Sendable {
    let name: String
    fileprivate let read: @Sendable (inout Root, JSON?) throws(JSONFault) -> Void
    fileprivate let write: @Sendable (Root) -> JSON?

    /// A member that must be there.
    init<Value: JSONValue>(_ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable) {
        self.name = name
        read = { (root, json) throws(JSONFault) in
            guard let json else { throw JSONFault("is missing", isOfValue: false) }
            root[keyPath: property] = try Value(json)
        }
        write = { $0[keyPath: property].json }
    }

    /// A member that may be absent.
    init<Value: JSONValue>(_ name: String, _ property: any WritableKeyPath<Root, Value?> & Sendable) {
        self.name = name
        read = { (root, json) throws(JSONFault) in
            root[keyPath: property] = if let json, json != .null { try Value(json) } else { nil }
        }
        write = { $0[keyPath: property]?.json }
    }
}

extension Record {
    init(_ json: JSON) throws(JSONFault) {
        guard case .object(let members) = json else { throw JSONFault("must be an object") }
        var rest: [String: JSON] = [:]
        for member in members { rest[member.name] = member.value }
        self.init()
        for field in Self.fields {
            do throws(JSONFault) {
                try field.read(&self, rest.removeValue(forKey: field.name))
            } catch {
                throw error.within(field.name)
            }
        }
        unknown.members = rest.sorted { JSON.isOrdered($0.key, $1.key) }.map { JSON.Member($0.key, $0.value) }
    }

    var json: JSON {
        let known = Self.fields.compactMap { field in field.write(self).map { JSON.Member(field.name, $0) } }
        return .object(known + unknown.members)
    }
}

/// A value of a file that is not what the record needs, with its path in the file.
struct JSONFault: Error {
    private(set) var path = ""
    let problem: String
    /// Whether the value has the problem, rather than its place.
    private let isOfValue: Bool

    init(_ problem: String, isOfValue: Bool = true) {
        (self.problem, self.isOfValue) = (problem, isOfValue)
    }

    /// The fault, seen from the object or the list that has the value as `part`: a name, or an index in brackets.
    func within(_ part: String) -> JSONFault {
        var fault = self
        fault.path = part + (path.isEmpty || path.hasPrefix("[") ? path : ".\(path)")
        return fault
    }

    /// The path, as `benchmarks[3].runs[0].wall`, and the problem.
    var description: String { path.isEmpty ? problem : "\(path)\(isOfValue ? ":" : "") \(problem)" }
}

/// A value of a baseline file. Not `Codable`, because that would be a part of the public face of public types.
protocol JSONValue: SendableMetatype {
    init(_ json: JSON) throws(JSONFault)

    /// The value. A number that is not finite has its name in the place of digits: see ``JSON/numberWithoutDigits``.
    var json: JSON { get }
}

extension JSON {
    /// A number in the value that JSON cannot hold, with its path; nil if there is none.
    var numberWithoutDigits: JSONFault? {
        switch self {
        case .number(let digits) where digits.last?.isNumber != true:
            return JSONFault("is \(digits), which JSON cannot hold: leave it out", isOfValue: false)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let fault = element.numberWithoutDigits { return fault.within("[\(index)]") }
            }
        case .object(let members):
            for member in members {
                if let fault = member.value.numberWithoutDigits { return fault.within(member.name) }
            }
        default: break
        }
        return nil
    }
}

extension String: JSONValue {
    init(_ json: JSON) throws(JSONFault) {
        guard case .string(let text) = json else { throw JSONFault("must be text") }
        self = text
    }

    var json: JSON { .string(self) }
}

extension Bool: JSONValue {
    init(_ json: JSON) throws(JSONFault) {
        guard case .bool(let value) = json else { throw JSONFault("must be true or false") }
        self = value
    }

    var json: JSON { .bool(self) }
}

extension JSONValue where Self: FixedWidthInteger {
    init(_ json: JSON) throws(JSONFault) {
        guard case .number(let digits) = json, let value = Self(digits) else {
            throw JSONFault("must be a whole number in the range of \(Self.self)")
        }
        self = value
    }

    var json: JSON { .number(String(self)) }
}

extension Int: JSONValue {}
extension UInt64: JSONValue {}

extension Double: JSONValue {
    init(_ json: JSON) throws(JSONFault) {
        guard case .number(let digits) = json, let value = Double(digits) else { throw JSONFault("must be a number") }
        self = value
    }

    var json: JSON { .number(isFinite ? JSONWriter.digits(self) : "\(self)") }
}

extension Array: JSONValue where Element: JSONValue {
    init(_ json: JSON) throws(JSONFault) {
        guard case .array(let elements) = json else { throw JSONFault("must be a list") }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do throws(JSONFault) { append(try Element(element)) } catch { throw error.within("[\(index)]") }
        }
    }

    var json: JSON { .array(map(\.json)) }
}

/// Written in the order of the keys.
extension Dictionary: JSONValue where Key == String, Value: JSONValue {
    init(_ json: JSON) throws(JSONFault) {
        guard case .object(let members) = json else { throw JSONFault("must be an object") }
        self = [:]
        for member in members {
            do throws(JSONFault) {
                self[member.name] = try Value(member.value)
            } catch {
                throw error.within(member.name)
            }
        }
    }

    var json: JSON {
        .object(sorted { JSON.isOrdered($0.key, $1.key) }.map { JSON.Member($0.key, $0.value.json) })
    }
}
