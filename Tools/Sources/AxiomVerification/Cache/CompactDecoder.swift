// SPDX-License-Identifier: Apache-2.0

/// Reads what ``CompactEncoder`` writes. Never traps, whatever the bytes are.
package enum CompactDecoder {
    /// The bytes are no value of the type.
    struct Malformed: Error {}

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let reader = try CompactReader(bytes)
        return try reader.value(type, at: 0)
    }
}

/// The bytes of one decoding.
final class CompactReader {
    private let bytes: [UInt8]
    private let strings: [String]
    /// Values end here, where the table of strings begins.
    private let end: Int
    private var level = 0

    init(_ bytes: [UInt8]) throws {
        guard bytes.count >= 8 else { throw CompactDecoder.Malformed() }
        let table = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[bytes.count - 8 + $1]) << (8 * UInt64($1)) }
        guard table <= UInt64(bytes.count - 8) else { throw CompactDecoder.Malformed() }
        self.bytes = bytes
        end = Int(table)
        strings = try Self.strings(bytes, Int(table)..<(bytes.count - 8))
    }

    func value<Value: Decodable>(_ type: Value.Type, at offset: Int) throws -> Value {
        if Value.self == String.self { return unsafeBitCast(try string(at: offset), to: Value.self) }
        // Bytes of another origin could nest without an end.
        level += 1
        defer { level -= 1 }
        guard level < 500 else { throw CompactDecoder.Malformed() }
        return try Value(from: Decoding(reader: self, offset: offset))
    }

    func tag(at offset: Int) throws -> UInt8 {
        guard offset < end else { throw CompactDecoder.Malformed() }
        return bytes[offset]
    }

    /// The offset behind a value.
    func end(of offset: Int) throws -> Int {
        switch try tag(at: offset) {
        case CompactTag.null, CompactTag.true, CompactTag.false: return offset + 1
        case CompactTag.integer, CompactTag.negative, CompactTag.string:
            var index = offset + 1
            _ = try Self.variable(bytes, &index, end)
            return index
        case CompactTag.double: return offset + 9
        case CompactTag.array, CompactTag.object: return try content(of: offset).upperBound
        default: throw CompactDecoder.Malformed()
        }
    }

    /// The bytes in an array or object.
    func content(of offset: Int) throws -> Range<Int> {
        guard offset + 5 <= end else { throw CompactDecoder.Malformed() }
        let size = (0..<4).reduce(0) { $0 | Int(bytes[offset + 1 + $1]) << (8 * $1) }
        guard offset + 5 + size <= end else { throw CompactDecoder.Malformed() }
        return (offset + 5)..<(offset + 5 + size)
    }

    /// The key at an offset, which moves to the key's value.
    func key(at offset: inout Int) throws -> String {
        let number = try Self.variable(bytes, &offset, end)
        guard number < UInt64(strings.count) else { throw CompactDecoder.Malformed() }
        return strings[Int(number)]
    }

    func string(at offset: Int) throws -> String {
        guard try tag(at: offset) == CompactTag.string else { throw CompactDecoder.Malformed() }
        var index = offset + 1
        return try key(at: &index)
    }

    func boolean(at offset: Int) throws -> Bool {
        switch try tag(at: offset) {
        case CompactTag.true: true
        case CompactTag.false: false
        default: throw CompactDecoder.Malformed()
        }
    }

    func double(at offset: Int) throws -> Double {
        guard try tag(at: offset) == CompactTag.double, offset + 9 <= end else { throw CompactDecoder.Malformed() }
        return Double(bitPattern: (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[offset + 1 + $1]) << (8 * UInt64($1)) })
    }

    func integer<Value: FixedWidthInteger>(at offset: Int) throws -> Value {
        let tag = try tag(at: offset)
        var index = offset + 1
        let magnitude = try Self.variable(bytes, &index, end)
        switch tag {
        case CompactTag.integer:
            if let value = Value(exactly: magnitude) { return value }
        case CompactTag.negative:
            // The smallest value has no positive twin.
            if magnitude == Value.min.magnitude, Value.isSigned { return .min }
            if Value.isSigned, let value = Value(exactly: magnitude) { return 0 - value }
        default: break
        }
        throw CompactDecoder.Malformed()
    }

    private static func variable(_ bytes: [UInt8], _ index: inout Int, _ end: Int) throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard index < end else { throw CompactDecoder.Malformed() }
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw CompactDecoder.Malformed()
    }

    private static func strings(_ bytes: [UInt8], _ range: Range<Int>) throws -> [String] {
        var index = range.lowerBound
        let count = try variable(bytes, &index, range.upperBound)
        guard count <= UInt64(range.count) else { throw CompactDecoder.Malformed() }
        var strings: [String] = []
        strings.reserveCapacity(Int(count))
        for _ in 0..<count {
            let size = try variable(bytes, &index, range.upperBound)
            guard size <= UInt64(range.upperBound - index) else { throw CompactDecoder.Malformed() }
            strings.append(String(decoding: bytes[index..<index + Int(size)], as: UTF8.self))
            index += Int(size)
        }
        return strings
    }
}

private struct Decoding: Decoder {
    let reader: CompactReader
    let offset: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard try reader.tag(at: offset) == CompactTag.object else { throw CompactDecoder.Malformed() }
        return KeyedDecodingContainer(KeyedDecoding(reader: reader, content: try reader.content(of: offset)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard try reader.tag(at: offset) == CompactTag.array else { throw CompactDecoder.Malformed() }
        return UnkeyedDecoding(reader: reader, content: try reader.content(of: offset))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleDecoding(reader: reader, offset: offset) }
}

/// A class, because reading moves to the next key.
private final class KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let reader: CompactReader
    let content: Range<Int>
    var codingPath: [any CodingKey] { [] }
    /// The key that a reader most likely wants next: types are read in the order in which they are written.
    private var next: Int

    init(reader: CompactReader, content: Range<Int>) {
        self.reader = reader
        self.content = content
        next = content.lowerBound
    }

    var allKeys: [Key] {
        var keys: [Key] = []
        var index = content.lowerBound
        while index < content.upperBound, let name = try? reader.key(at: &index), let end = try? reader.end(of: index) {
            if let key = Key(stringValue: name) { keys.append(key) }
            index = end
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { (try? find(key)) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try reader.tag(at: offset(key)) == CompactTag.null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let offset = try offset(key)
        let value = try reader.value(type, at: offset)
        next = min(try reader.end(of: offset), content.upperBound)
        return value
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try Decoding(reader: reader, offset: try offset(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try Decoding(reader: reader, offset: try offset(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { throw CompactDecoder.Malformed() }

    func superDecoder(forKey key: Key) throws -> any Decoder { Decoding(reader: reader, offset: try offset(key)) }

    private func offset(_ key: Key) throws -> Int {
        guard let offset = try find(key) else { throw CompactDecoder.Malformed() }
        return offset
    }

    /// The offset of the key's value. An optional value is asked for several times: `next` stays until it was read.
    private func find(_ key: Key) throws -> Int? {
        let name = key.stringValue
        if let offset = try search(name, in: next..<content.upperBound) { return offset }
        return try search(name, in: content.lowerBound..<next)
    }

    private func search(_ name: String, in range: Range<Int>) throws -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if try reader.key(at: &index) == name { return index }
            index = try reader.end(of: index)
        }
        return nil
    }
}

private struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let reader: CompactReader
    var codingPath: [any CodingKey] { [] }
    private(set) var currentIndex = 0
    private var offset: Int
    private let limit: Int

    init(reader: CompactReader, content: Range<Int>) {
        self.reader = reader
        offset = content.lowerBound
        limit = content.upperBound
    }

    var count: Int? { nil }
    var isAtEnd: Bool { offset >= limit }

    /// The offset of the next element, after which the container moves on.
    private mutating func advance() throws -> Int {
        guard !isAtEnd else { throw CompactDecoder.Malformed() }
        let element = offset
        offset = try reader.end(of: element)
        currentIndex += 1
        return element
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, try reader.tag(at: offset) == CompactTag.null else { return false }
        _ = try advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try reader.value(type, at: try advance())
    }

    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try Decoding(reader: reader, offset: try advance()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try Decoding(reader: reader, offset: try advance()).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { Decoding(reader: reader, offset: try advance()) }
}

private struct SingleDecoding: SingleValueDecodingContainer {
    let reader: CompactReader
    let offset: Int
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { (try? reader.tag(at: offset)) == CompactTag.null }
    func decode(_ type: Bool.Type) throws -> Bool { try reader.boolean(at: offset) }
    func decode(_ type: String.Type) throws -> String { try reader.string(at: offset) }
    func decode(_ type: Double.Type) throws -> Double { try reader.double(at: offset) }
    func decode(_ type: Float.Type) throws -> Float { Float(try reader.double(at: offset)) }
    func decode(_ type: Int.Type) throws -> Int { try reader.integer(at: offset) }
    func decode(_ type: Int8.Type) throws -> Int8 { try reader.integer(at: offset) }
    func decode(_ type: Int16.Type) throws -> Int16 { try reader.integer(at: offset) }
    func decode(_ type: Int32.Type) throws -> Int32 { try reader.integer(at: offset) }
    func decode(_ type: Int64.Type) throws -> Int64 { try reader.integer(at: offset) }
    func decode(_ type: UInt.Type) throws -> UInt { try reader.integer(at: offset) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try reader.integer(at: offset) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try reader.integer(at: offset) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try reader.integer(at: offset) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try reader.integer(at: offset) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try reader.value(type, at: offset) }
}
