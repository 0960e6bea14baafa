// SPDX-License-Identifier: Apache-2.0

/// Header fields in the order in which they were received or added. Names are compared without case, and a name may
/// occur more than once.
///
/// A look-up walks the fields, which for the dozen that a request carries is faster than hashing.
public struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One header field.
    public struct Field: Sendable, Hashable {
        /// The name as it was received or given.
        public let name: String
        /// The value without surrounding blanks.
        public let value: String

        /// Makes a field. Whether it can be sent is checked when a response carries it.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields in order.
    public private(set) var fields: [Field]

    /// Makes an empty set of headers.
    public init() {
        fields = []
    }

    /// Copies the fields of a request. Bytes that are not UTF-8 become replacement characters.
    init(_ fields: [RawField]) {
        self.fields = fields.map { field in
            let value = field.value.prefix((field.value.lastIndex { $0 != 0x20 && $0 != 0x09 } ?? -1) + 1)
            return Field(
                name: String(decoding: field.name, as: UTF8.self),
                value: String(decoding: value, as: UTF8.self)
            )
        }
    }

    /// Makes headers from names and values; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of `name`; setting it replaces every value of the name, and `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.equal($0.name, name) }?.value }
        set {
            let kept = fields.firstIndex { Self.equal($0.name, name) }
            fields.removeAll { Self.equal($0.name, name) }
            guard let newValue else { return }
            fields.insert(Field(name: name, value: newValue), at: min(kept ?? fields.count, fields.count))
        }
    }

    /// Every value of `name`, in order.
    public func values(of name: String) -> [String] {
        fields.filter { Self.equal($0.name, name) }.map(\.value)
    }

    /// Adds a value and keeps those that the name already has.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Whether two names are the same; ASCII letters are compared without case.
    static func equal(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        return left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
