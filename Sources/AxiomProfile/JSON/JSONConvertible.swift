// SPDX-License-Identifier: Apache-2.0

/// A value with a place in a file.
protocol JSONConvertible: SendableMetatype {
    /// What to take when a file has no such member; nil when it must have one.
    static var whenAbsent: Self? { get }

    /// Reads the value. `path` says where it stands, as `benchmarks[3].runs[0].wall`.
    init(json: JSON, at path: String) throws(ProfileError)

    /// Writes the value; nil to leave the member out.
    func json(at path: String) throws(ProfileError) -> JSON?
}

extension JSONConvertible {
    static var whenAbsent: Self? { nil }
}

extension ProfileError {
    /// A file's value is not of the kind that its place needs.
    static func unfit(_ json: JSON, at path: String, needed: String) -> ProfileError {
        ProfileError(.damagedFile, "\(path) is \(json.kind) and must be \(needed)")
    }
}

extension String: JSONConvertible {
    init(json: JSON, at path: String) throws(ProfileError) {
        guard case .string(let value) = json else { throw .unfit(json, at: path, needed: "a string") }
        self = value
    }

    func json(at path: String) -> JSON? { .string(self) }
}

extension Bool: JSONConvertible {
    init(json: JSON, at path: String) throws(ProfileError) {
        guard case .bool(let value) = json else { throw .unfit(json, at: path, needed: "true or false") }
        self = value
    }

    func json(at path: String) -> JSON? { .bool(self) }
}

extension Double: JSONConvertible {
    init(json: JSON, at path: String) throws(ProfileError) {
        guard case .number(let digits) = json, let value = Double(digits) else {
            throw .unfit(json, at: path, needed: "a number")
        }
        self = value
    }

    func json(at path: String) throws(ProfileError) -> JSON? {
        guard isFinite else {
            throw ProfileError(.invalidValue, "\(path) is \(self), which JSON cannot hold: leave it out")
        }
        return .number(CanonicalJSON.number(self))
    }
}

extension Int: JSONConvertible {
    init(json: JSON, at path: String) throws(ProfileError) {
        guard case .number(let digits) = json, let value = Int(digits) else {
            throw .unfit(json, at: path, needed: "a whole number")
        }
        self = value
    }

    func json(at path: String) -> JSON? { .number(String(self)) }
}

extension UInt64: JSONConvertible {
    init(json: JSON, at path: String) throws(ProfileError) {
        guard case .number(let digits) = json, let value = UInt64(digits) else {
            throw .unfit(json, at: path, needed: "a whole number from 0")
        }
        self = value
    }

    func json(at path: String) -> JSON? { .number(String(self)) }
}

extension Optional: JSONConvertible where Wrapped: JSONConvertible {
    static var whenAbsent: Wrapped?? { .some(nil) }

    init(json: JSON, at path: String) throws(ProfileError) {
        self = json == .null ? nil : try Wrapped(json: json, at: path)
    }

    func json(at path: String) throws(ProfileError) -> JSON? {
        guard let self else { return nil }
        return try self.json(at: path)
    }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    init(json: JSON, at path: String) throws(ProfileError) {
        guard case .array(let elements) = json else { throw .unfit(json, at: path, needed: "an array") }
        self = []
        reserveCapacity(elements.count)
        for (position, element) in elements.enumerated() {
            append(try Element(json: element, at: "\(path)[\(position)]"))
        }
    }

    func json(at path: String) throws(ProfileError) -> JSON? {
        var elements: [JSON] = []
        elements.reserveCapacity(count)
        for (position, element) in enumerated() {
            if let json = try element.json(at: "\(path)[\(position)]") { elements.append(json) }
        }
        return .array(elements)
    }
}

/// Written in the order of the keys.
extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
    init(json: JSON, at path: String) throws(ProfileError) {
        guard case .object(let members) = json else { throw .unfit(json, at: path, needed: "an object") }
        self = [:]
        for member in members { self[member.name] = try Value(json: member.value, at: "\(path).\(member.name)") }
    }

    func json(at path: String) throws(ProfileError) -> JSON? {
        var members: [JSON.Member] = []
        for (key, value) in sorted(by: { $0.key < $1.key }) {
            if let json = try value.json(at: "\(path).\(key)") { members.append(JSON.Member(key, json)) }
        }
        return .object(members)
    }
}
