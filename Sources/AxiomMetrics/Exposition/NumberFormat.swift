// SPDX-License-Identifier: Apache-2.0

/// Formats numbers as Prometheus does: integers in full, floating-point numbers like Go's `strconv.FormatFloat(x, 'g', -1,
/// 64)`, with the fewest digits that identify the number, and an exponent below 1e-4 and from 1e+06. Zero has no sign, as
/// in Prometheus' `expfmt` (`writeFloat`).
enum NumberFormat {
    /// The most bytes of a number, including the scratch space for writing it.
    static let maximumLength = 64

    /// Writes an integer and returns its length.
    @inline(__always)
    static func write(_ value: UInt64, to output: UnsafeMutablePointer<UInt8>) -> Int {
        if value < 10 {
            output[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value)
            return 1
        }
        return writeDigits(value, to: output)
    }

    /// Writes a number and returns its length.
    static func write(_ value: Double, to output: UnsafeMutablePointer<UInt8>) -> Int {
        if let integer = Int32(exactly: value), integer.magnitude < 1_000_000 {
            if integer >= 0 { return write(UInt64(integer), to: output) }
            output[0] = UInt8(ascii: "-")
            return 1 + write(UInt64(integer.magnitude), to: output + 1)
        }
        guard value.isFinite else { return writeSpecial(value, to: output) }
        var shortest = ShortestDigits(output: output)
        value.write(to: &shortest)
        return shortest.length
    }

    /// Writes a number without an exponent if it is below 1e20, for timestamps.
    static func writePlain(_ value: Double, to output: UnsafeMutablePointer<UInt8>) -> Int {
        guard value.isFinite else { return writeSpecial(value, to: output) }
        var shortest = ShortestDigits(output: output, isPlain: true)
        value.write(to: &shortest)
        return shortest.length
    }

    /// The number as text, without an exponent if it is plain.
    static func text(_ value: Double, isPlain: Bool = false) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumLength) { memory in
            guard let start = memory.baseAddress else { return "" }
            let count = isPlain ? writePlain(value, to: start) : write(value, to: start)
            return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }

    /// A bucket's bound as OpenMetrics requires it: as ``text(_:)``, but always with a point or an exponent.
    ///
    /// Text 0.0.4 uses the same form (`le="1.0"`, while Go's client writes `le="1"`). Prometheus 3 normalizes both forms,
    /// Prometheus 2 does not, and the identity of a series should not depend on the version or the negotiated format.
    static func boundText(_ bound: Double) -> String {
        let text = text(bound)
        return text.contains { ".eIN".contains($0) } ? text : text + ".0"
    }

    private static func writeSpecial(_ value: Double, to output: UnsafeMutablePointer<UInt8>) -> Int {
        let text: StaticString = value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf"
        output.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        return text.utf8CodeUnitCount
    }

    /// Two digits at a time, from the last to the first.
    @inline(__always)
    private static func writeDigits(_ value: UInt64, to output: UnsafeMutablePointer<UInt8>) -> Int {
        let length = decimalLength(value)
        var rest = value
        var position = length
        while rest >= 100 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            position &-= 2
            put(pair, to: output + position)
            rest = quotient
        }
        if rest >= 10 {
            put(rest, to: output)
        } else {
            output[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
        }
        return length
    }

    @inline(__always)
    private static func put(_ pair: UInt64, to output: UnsafeMutablePointer<UInt8>) {
        let tens = (pair &* 205) >> 11
        output[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens)
        output[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: pair &- tens &* 10)
    }

    @inline(__always)
    private static func decimalLength(_ value: UInt64) -> Int {
        var rest = value
        var length = 1
        while rest >= 10_000 {
            rest /= 10_000
            length &+= 4
        }
        if rest >= 1_000 { return length &+ 3 }
        if rest >= 100 { return length &+ 2 }
        return rest >= 10 ? length &+ 1 : length
    }
}

/// Receives the shortest digits of a finite number from the standard library and writes them in Go's `%g` form.
///
/// `Double.write(to:)` passes its digits to `_writeASCII` directly from the stack. If a future standard library does not
/// call it, `write(_:)` receives the same bytes as a string, which is only slower.
struct ShortestDigits: TextOutputStream {
    /// Room for ``NumberFormat/maximumLength`` bytes.
    let output: UnsafeMutablePointer<UInt8>
    /// The bytes written.
    private(set) var length = 0
    /// Whether numbers below 1e20 get no exponent.
    private let isPlain: Bool

    init(output: UnsafeMutablePointer<UInt8>, isPlain: Bool = false) {
        self.output = output
        self.isPlain = isPlain
    }

    mutating func write(_ string: String) {
        var string = string
        string.withUTF8 { reformat($0) }
    }

    mutating func _writeASCII(_ bytes: UnsafeBufferPointer<UInt8>) {
        reformat(bytes)
    }

    /// Parses `-?digits[.digits][e±digits]`. The digits are copied to the second half of the room and written from there.
    private mutating func reformat(_ text: UnsafeBufferPointer<UInt8>) {
        let digits = output + 32
        var count = 0
        var point: Int?
        var exponent = 0
        scan: for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "-"): put(byte)
            case UInt8(ascii: "."): point = count
            case UInt8(ascii: "e"):
                exponent = Self.integer(UnsafeBufferPointer(rebasing: text[(index + 1)...]))
                break scan
            default:
                digits[count] = byte
                count += 1
            }
        }
        var first = 0
        while first < count - 1, digits[first] == UInt8(ascii: "0") { first += 1 }
        let scale = (point ?? count) - first + exponent
        while count > first + 1, digits[count - 1] == UInt8(ascii: "0") { count -= 1 }
        layOut(UnsafeBufferPointer(start: digits + first, count: count - first), scale: scale)
    }

    /// Writes 0.d₁d₂… × 10^scale.
    private mutating func layOut(_ digits: UnsafeBufferPointer<UInt8>, scale: Int) {
        if digits[0] == UInt8(ascii: "0") { return put(digits[0]) }
        if scale > (isPlain ? 20 : 6) || scale < -3 { return layOutScientific(digits, exponent: scale - 1) }
        if scale <= 0 {
            put(UInt8(ascii: "0"))
            put(UInt8(ascii: "."))
            for _ in scale..<0 { put(UInt8(ascii: "0")) }
        }
        for (index, digit) in digits.enumerated() {
            if index == scale, index > 0 { put(UInt8(ascii: ".")) }
            put(digit)
        }
        for _ in 0..<max(scale - digits.count, 0) { put(UInt8(ascii: "0")) }
    }

    private mutating func layOutScientific(_ digits: UnsafeBufferPointer<UInt8>, exponent: Int) {
        put(digits[0])
        if digits.count > 1 { put(UInt8(ascii: ".")) }
        for digit in digits.dropFirst() { put(digit) }
        put(UInt8(ascii: "e"))
        put(exponent < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        if exponent.magnitude < 10 { put(UInt8(ascii: "0")) }
        length += NumberFormat.write(UInt64(exponent.magnitude), to: output + length)
    }

    private mutating func put(_ byte: UInt8) {
        output[length] = byte
        length += 1
    }

    private static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        var value = 0
        for byte in text where byte != UInt8(ascii: "-") && byte != UInt8(ascii: "+") {
            value = value * 10 + Int(byte &- UInt8(ascii: "0"))
        }
        return text.first == UInt8(ascii: "-") ? -value : value
    }
}
