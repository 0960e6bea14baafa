// SPDX-License-Identifier: Apache-2.0

/// Numbers as Prometheus prints them: integers in full, floating-point numbers as Go's `strconv.FormatFloat(x, 'g', -1,
/// 64)`: the fewest digits that give the same number back, with an exponent below 1e-4 and from 1e+06 on. Zero has no sign:
/// Prometheus' own writer of pages (`writeFloat` in its `expfmt`) writes `0` for -0 too, where `strconv` alone would not.
enum NumberFormat {
    /// No number takes more bytes than this, nor the scratch space that writing it needs.
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

    /// Writes a number without an exponent, as timestamps are, where its magnitude allows that in the room: below 1e20.
    static func writePlain(_ value: Double, to output: UnsafeMutablePointer<UInt8>) -> Int {
        guard value.isFinite else { return writeSpecial(value, to: output) }
        var shortest = ShortestDigits(output: output, isPlain: true)
        value.write(to: &shortest)
        return shortest.length
    }

    /// The number as text.
    static func text(_ value: Double) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumLength) { memory in
            guard let start = memory.baseAddress else { return "" }
            return String(decoding: UnsafeBufferPointer(start: start, count: write(value, to: start)), as: UTF8.self)
        }
    }

    /// A bucket's bound as OpenMetrics wants it: as ``text(_:)``, and never without a point or an exponent.
    ///
    /// Text 0.0.4 gets the same (`le="1.0"`, where Go's client writes `le="1"`): Prometheus 3 turns the one into the
    /// other when it reads a page, Prometheus 2 does not, and the identity of a series should depend neither on that
    /// nor on the format that was negotiated.
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
