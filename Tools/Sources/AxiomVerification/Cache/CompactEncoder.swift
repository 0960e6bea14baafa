// SPDX-License-Identifier: Apache-2.0

/// Writes `Codable` values as bytes for the cache. A third of the size of JSON, and many times faster to read.
///
/// A value begins with a ``CompactTag``. Arrays and objects have their size in bytes next, in four bytes, so that a reader
/// can leave values out. Strings and keys are numbers in a table that follows the values. The last eight bytes are the
/// offset of the table.
package enum CompactEncoder {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let state = CompactWriter()
        try state.write(value)
        return state.finished()
    }
}

/// What kind of value follows.
enum CompactTag {
    static let null: UInt8 = 0
    static let `false`: UInt8 = 1
    static let `true`: UInt8 = 2
    static let integer: UInt8 = 3
    static let negative: UInt8 = 4
    static let double: UInt8 = 5
    static let string: UInt8 = 6
    static let array: UInt8 = 7
    static let object: UInt8 = 8
}

/// The bytes of one encoding.
final class CompactWriter {
    private(set) var bytes: [UInt8] = []
    private var numbers: [String: Int] = [:]
    private var strings: [String] = []
    /// Where the sizes of the arrays and objects stand that are not finished.
    private var open: [Int] = []

    /// How many arrays and objects are open.
    var depth: Int { open.count }

    func write<Value: Encodable>(_ value: Value) throws {
        if Value.self == String.self { return string(unsafeBitCast(value, to: String.self)) }
        let (start, depth) = (bytes.count, depth)
        try value.encode(to: Encoding(state: self))
        // A type without members writes nothing.
        if bytes.count == start { begin(CompactTag.object) }
        close(to: depth)
    }

    func begin(_ tag: UInt8) {
        bytes.append(tag)
        open.append(bytes.count)
        bytes += [0, 0, 0, 0]
    }

    /// Ends arrays and objects until `depth` are open.
    func close(to depth: Int) {
        while open.count > depth {
            let start = open.removeLast()
            let size = UInt32(bytes.count - start - 4)
            for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: size >> (8 * UInt32(index))) }
        }
    }

    func key(_ key: some CodingKey) {
        variable(UInt64(number(of: key.stringValue)))
    }

    func null() { bytes.append(CompactTag.null) }

    func boolean(_ value: Bool) { bytes.append(value ? CompactTag.true : CompactTag.false) }

    func string(_ value: String) {
        bytes.append(CompactTag.string)
        variable(UInt64(number(of: value)))
    }

    func double(_ value: Double) {
        bytes.append(CompactTag.double)
        fixed(value.bitPattern)
    }

    func integer(_ value: some FixedWidthInteger) {
        bytes.append(value < 0 ? CompactTag.negative : CompactTag.integer)
        variable(UInt64(value.magnitude))
    }

    func finished() -> [UInt8] {
        let table = bytes.count
        variable(UInt64(strings.count))
        for string in strings {
            variable(UInt64(string.utf8.count))
            bytes += string.utf8
        }
        fixed(UInt64(table))
        return bytes
    }

    private func number(of string: String) -> Int {
        if let number = numbers[string] { return number }
        numbers[string] = strings.count
        strings.append(string)
        return strings.count - 1
    }

    private func variable(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private func fixed(_ value: UInt64) {
        for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }
}

private struct Encoding: Encoder {
    let state: CompactWriter
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        state.begin(CompactTag.object)
        return KeyedEncodingContainer(Keyed(state: state, depth: state.depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        state.begin(CompactTag.array)
        return Unkeyed(state: state, depth: state.depth)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(state: state) }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: CompactWriter
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    private func begin(_ key: Key) {
        state.close(to: depth)
        state.key(key)
    }

    func encodeNil(forKey key: Key) {
        begin(key)
        state.null()
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        begin(key)
        try state.write(value)
    }

    /// A reader finds each key where it expects it.
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        begin(key)
        return Encoding(state: state).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        begin(key)
        return Encoding(state: state).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { Encoding(state: state) }

    func superEncoder(forKey key: Key) -> any Encoder {
        begin(key)
        return Encoding(state: state)
    }
}

private struct Unkeyed: UnkeyedEncodingContainer {
    let state: CompactWriter
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    private(set) var count = 0

    init(state: CompactWriter, depth: Int) {
        self.state = state
        self.depth = depth
    }

    private mutating func begin() {
        state.close(to: depth)
        count += 1
    }

    mutating func encodeNil() {
        begin()
        state.null()
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        begin()
        try state.write(value)
    }

    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        begin()
        return Encoding(state: state).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        begin()
        return Encoding(state: state).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        begin()
        return Encoding(state: state)
    }
}

private struct Single: SingleValueEncodingContainer {
    let state: CompactWriter
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { state.null() }
    func encode(_ value: Bool) { state.boolean(value) }
    func encode(_ value: String) { state.string(value) }
    func encode(_ value: Double) { state.double(value) }
    func encode(_ value: Float) { state.double(Double(value)) }
    func encode(_ value: Int) { state.integer(value) }
    func encode(_ value: Int8) { state.integer(value) }
    func encode(_ value: Int16) { state.integer(value) }
    func encode(_ value: Int32) { state.integer(value) }
    func encode(_ value: Int64) { state.integer(value) }
    func encode(_ value: UInt) { state.integer(value) }
    func encode(_ value: UInt8) { state.integer(value) }
    func encode(_ value: UInt16) { state.integer(value) }
    func encode(_ value: UInt32) { state.integer(value) }
    func encode(_ value: UInt64) { state.integer(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try state.write(value) }
}
