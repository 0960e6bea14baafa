// SPDX-License-Identifier: Apache-2.0

/// Header fields in the order in which they were received or added. Names are case-insensitive, and a name may occur
/// more than once.
///
/// A look-up is linear, which for the dozen fields of a request is faster than hashing.
package struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    package struct Field: Sendable, Hashable {
        /// The name as it was received or given.
        package let name: String
        /// The value without surrounding white space.
        package let value: String
    }

    /// The fields in order.
    package private(set) var fields: [Field]

    init(_ fields: [Field]) { self.fields = fields }

    /// Creates headers in the order of their names.
    init(_ values: [String: String]) {
        fields = values.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
    }

    /// Creates headers from names and values. A name may occur more than once.
    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of `name`. Setting it replaces every value of the name; setting nil removes them.
    package subscript(name: String) -> String? {
        get { fields.first { Self.equal($0.name, name) }?.value }
        set {
            let kept = fields.firstIndex { Self.equal($0.name, name) }
            fields.removeAll { Self.equal($0.name, name) }
            guard let newValue else { return }
            fields.insert(Field(name: name, value: newValue), at: min(kept ?? fields.count, fields.count))
        }
    }

    /// Every value of `name`, in order.
    package func values(of name: String) -> [String] {
        fields.filter { Self.equal($0.name, name) }.map(\.value)
    }

    /// The value of a header that is a list, of which several fields may have parts; nil without one.
    package func list(_ name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ",")
    }

    /// Adds a field and keeps those of the same name.
    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Adds the fields of `others` whose names do not occur.
    mutating func fill(from others: HTTPHeaders) {
        for field in others.fields where self[field.name] == nil { fields.append(field) }
    }

    /// Whether two names are equal, without regard to the case of ASCII letters.
    static func equal(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        return left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    /// The fields that the server sends itself.
    private static let reserved: [(name: String, remedy: String)] = [
        ("Content-Length", "the server derives it from the body"),
        ("Transfer-Encoding", "the server chooses it from the body"),
        ("Connection", "set closesConnection instead"),
        ("Date", "the server sends it"),
    ]

    /// Checks that the fields can be sent: above all that no value has a CR or LF, which could end the header section and
    /// inject fields or a whole response.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidResponse` that names the field.
    func validateForSending() throws(HTTPServerError) {
        for field in fields {
            guard Self.isToken(field.name) else {
                throw HTTPServerError(.invalidResponse, "\(field.name.debugDescription) is not a header name")
            }
            guard !field.value.isEmpty, !field.value.utf8.contains(where: Self.isControl) else {
                throw HTTPServerError(
                    .invalidResponse,
                    "the value of the header \(field.name) is empty or has a control character such as CR or LF in it"
                )
            }
            if let reserved = Self.reserved.first(where: { Self.equal($0.name, field.name) }) {
                throw HTTPServerError(.invalidResponse, "a handler may not set \(reserved.name): \(reserved.remedy)")
            }
        }
    }

    private static func isToken(_ name: String) -> Bool { isToken(name.utf8) }

    /// RFC 9110 section 5.6.2: letters, digits and `!#$%&'*+-.^_`|~`.
    static func isToken(_ name: some Collection<UInt8>) -> Bool {
        !name.isEmpty
            && name.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
                default: false
                }
            }
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F
    }
}
