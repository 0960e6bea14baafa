// SPDX-License-Identifier: Apache-2.0

/// A value whose members are written and read in one order, so that a cache needs no names for them.
protocol Packable {
    /// A value that reading fills.
    static var blank: Self { get }
    /// Writes the members, or reads them: one list for both.
    mutating func pack(_ packing: inout Packing)
}

/// Bytes that are written, or read. Reading never traps: bytes that are no value set ``isMalformed``.
///
/// Numbers have seven bits a byte, the lowest first. Texts are numbers in a table that precedes the values.
struct Packing {
    private let isReading: Bool
    private var bytes: [UInt8]
    private var index = 0
    private(set) var isMalformed = false
    private var strings: [String] = []
    private var numbers: [String: Int] = [:]
    private var level = 0

    /// The bytes of a value.
    static func bytes(of value: some Packable) -> [UInt8] {
        var value = value
        var packing = Packing(isReading: false, bytes: [])
        value.pack(&packing)
        var result = Packing(isReading: false, bytes: [])
        result.write(UInt64(packing.strings.count))
        for string in packing.strings {
            result.write(UInt64(string.utf8.count))
            result.bytes += string.utf8
        }
        return result.bytes + packing.bytes
    }

    /// The value of bytes; nil if they are no value of the type.
    static func value<Value: Packable>(_ type: Value.Type, of bytes: [UInt8], from start: Int) -> Value? {
        guard start <= bytes.count else { return nil }
        var packing = Packing(isReading: true, bytes: bytes)
        packing.index = start
        packing.readStrings()
        var value = Value.blank
        value.pack(&packing)
        return packing.isMalformed || packing.index != bytes.count ? nil : value
    }

    private init(isReading: Bool, bytes: [UInt8]) {
        self.isReading = isReading
        self.bytes = bytes
    }

    // MARK: Members

    mutating func callAsFunction(_ value: inout UInt64) {
        if isReading { value = read() } else { write(value) }
    }

    mutating func callAsFunction(_ value: inout UInt32) {
        if isReading { value = UInt32(truncatingIfNeeded: read()) } else { write(UInt64(value)) }
    }

    mutating func callAsFunction(_ value: inout Int) {
        if isReading { value = Int(bitPattern: UInt(read())) } else { write(UInt64(UInt(bitPattern: value))) }
    }

    mutating func callAsFunction(_ value: inout Bool) {
        if isReading { value = read() != 0 } else { write(value ? 1 : 0) }
    }

    mutating func callAsFunction(_ value: inout Double) {
        var bits = value.bitPattern
        self(&bits)
        if isReading { value = Double(bitPattern: bits) }
    }

    mutating func callAsFunction(_ value: inout Range<Int>) {
        var (start, count) = (value.lowerBound, value.upperBound &- value.lowerBound)
        self(&start)
        self(&count)
        guard isReading else { return }
        let (end, overflows) = start.addingReportingOverflow(count)
        if overflows || count < 0 { isMalformed = true } else { value = start..<end }
    }

    mutating func callAsFunction(_ value: inout String) {
        guard isReading else { return write(UInt64(number(of: value))) }
        let number = read()
        if number < UInt64(strings.count) { value = strings[Int(number)] } else { isMalformed = true }
    }

    mutating func callAsFunction<Kind: RawRepresentable>(_ value: inout Kind) where Kind.RawValue == String {
        var name = value.rawValue
        self(&name)
        guard isReading else { return }
        if let kind = Kind(rawValue: name) { value = kind } else { isMalformed = true }
    }

    mutating func callAsFunction(_ value: inout FactSpan) {
        // A span is short.
        var count = value.end &- value.start
        self(&value.start)
        self(&count)
        if isReading { value.end = value.start &+ count }
    }

    mutating func callAsFunction<Value: Packable>(_ value: inout Value) {
        // Bytes of another origin could nest without an end.
        level += 1
        if level < 500 { value.pack(&self) } else { isMalformed = true }
        level -= 1
    }

    /// A list, with its count.
    mutating func list<Element>(_ list: inout [Element], blank: Element, _ pack: (inout Packing, inout Element) -> Void)
    {
        guard isReading else {
            write(UInt64(list.count))
            for var element in list { pack(&self, &element) }
            return
        }
        let count = read()
        // Each element has a byte or more.
        guard !isMalformed, count <= UInt64(bytes.count - index) else { return fail() }
        list = []
        list.reserveCapacity(Int(count))
        for _ in 0..<count {
            var element = blank
            pack(&self, &element)
            list.append(element)
            if isMalformed { return }
        }
    }

    mutating func callAsFunction<Element: Packable>(_ list: inout [Element]) {
        self.list(&list, blank: Element.blank) { $0(&$1) }
    }

    mutating func callAsFunction(_ list: inout [String]) { self.list(&list, blank: "") { $0(&$1) } }

    mutating func callAsFunction(_ list: inout [FactSpan]) { self.list(&list, blank: FactSpan(0, 0)) { $0(&$1) } }

    /// Numbers that ascend, as differences.
    mutating func ascending(_ list: inout [UInt32]) {
        var last: UInt32 = 0
        self.list(&list, blank: 0) { packing, number in
            var step = number &- last
            packing(&step)
            number = last &+ step
            last = number
        }
    }

    /// A member that may be nil.
    mutating func optional<Value>(_ value: inout Value?, blank: Value, _ pack: (inout Packing, inout Value) -> Void) {
        var isPresent = value != nil
        self(&isPresent)
        guard isPresent else {
            value = nil
            return
        }
        var present = value ?? blank
        pack(&self, &present)
        value = present
    }

    mutating func callAsFunction<Value: Packable>(_ value: inout Value?) {
        optional(&value, blank: Value.blank) { $0(&$1) }
    }

    mutating func callAsFunction(_ value: inout Int?) { optional(&value, blank: 0) { $0(&$1) } }
    mutating func callAsFunction(_ value: inout String?) { optional(&value, blank: "") { $0(&$1) } }
    mutating func callAsFunction(_ value: inout FactSpan?) { optional(&value, blank: FactSpan(0, 0)) { $0(&$1) } }
    mutating func callAsFunction(_ value: inout [String]?) { optional(&value, blank: []) { $0(&$1) } }

    // MARK: Bytes

    private mutating func fail() { isMalformed = true }

    private mutating func number(of string: String) -> Int {
        if let number = numbers[string] { return number }
        numbers[string] = strings.count
        strings.append(string)
        return strings.count - 1
    }

    private mutating func write(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func read() -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.count, shift < 64 {
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        isMalformed = true
        return 0
    }

    private mutating func readStrings() {
        let count = read()
        guard index <= bytes.count, count <= UInt64(bytes.count - index) else { return fail() }
        strings.reserveCapacity(Int(count))
        for _ in 0..<count {
            let size = read()
            guard !isMalformed, size <= UInt64(bytes.count - index) else { return fail() }
            strings.append(String(decoding: bytes[index..<index + Int(size)], as: UTF8.self))
            index += Int(size)
        }
    }
}
