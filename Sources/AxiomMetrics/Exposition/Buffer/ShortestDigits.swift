// SPDX-License-Identifier: Apache-2.0

/// Receives the shortest digits of a finite number from the standard library and writes them in Go's `%g` form.
///
/// `Double.write(to:)` hands its digits to `_writeASCII`, straight from the stack. Should a future library no longer
/// call it, `write(_:)` gets the same bytes as a string, and only speed is lost.
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

    /// Takes `-?digits[.digits][e±digits]` apart: the digits go to the second half of the room, from where
    /// they are laid out again.
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
