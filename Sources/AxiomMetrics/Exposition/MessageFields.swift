// SPDX-License-Identifier: Apache-2.0

/// Fields of the protocol buffers messages that other modules write: remote write and OTLP.
///
/// Each reserves its own memory, which the encoder of a page avoids.
extension ExpositionBuffer {
    /// Appends bytes as they are.
    package mutating func putBytes(_ bytes: [UInt8]) {
        reserve(bytes.count)
        put(bytes)
    }

    /// Appends an integer without sign, a Boolean or a case of an enum.
    package mutating func putField(_ number: Int, varint value: UInt64) {
        putKey(number, 0)
        putVarint(value)
    }

    /// Appends a `sint32` or `sint64`.
    package mutating func putField(_ number: Int, zigZag value: Int64) {
        putField(number, varint: Proto.zigZag(value))
    }

    /// Appends an `int64`, of which negative values take ten bytes.
    package mutating func putField(_ number: Int, int64 value: Int64) {
        putField(number, varint: UInt64(bitPattern: value))
    }

    /// Appends a `double`. All NaNs are written as one bit pattern, as ``putLittleEndian(_:)`` does.
    package mutating func putField(_ number: Int, double value: Double) {
        putKey(number, 1)
        putLittleEndian(value)
    }

    /// Appends a `fixed64` or `sfixed64`, or a `double` with exactly these bits.
    package mutating func putField(_ number: Int, fixed64 value: UInt64) {
        putKey(number, 1)
        putFixed(value)
    }

    /// Appends a text.
    package mutating func putField(_ number: Int, text: String) {
        putField(number, bytes: Array(text.utf8))
    }

    /// Appends bytes with their length.
    package mutating func putField(_ number: Int, bytes: [UInt8]) {
        putKey(number, 2)
        putVarint(UInt64(bytes.count))
        putBytes(bytes)
    }

    /// Appends the message that `body` appends.
    package mutating func putField(_ number: Int, message body: (inout ExpositionBuffer) -> Void) {
        putKey(number, 2)
        putMessage(room: 2, body)
    }

    /// Appends a packed list of `fixed64`.
    package mutating func putField(_ number: Int, packedFixed64 values: some Collection<UInt64>) {
        putKey(number, 2)
        putVarint(UInt64(values.count) &* 8)
        reserve(values.count &* 8)
        for value in values { putFixed(value) }
    }

    /// Appends a packed list of varints.
    package mutating func putField(_ number: Int, packedVarints values: some Collection<UInt64>) {
        putKey(number, 2)
        putMessage(room: 2) { buffer in
            buffer.reserve(values.count &* 10)
            for value in values { buffer.putVarint(value) }
        }
    }

    /// The keys of up to two bytes, and room for a value of up to ten.
    private mutating func putKey(_ number: Int, _ wireType: UInt64) {
        reserve(20)
        putVarint(UInt64(number) << 3 | wireType)
    }

    private mutating func putFixed(_ value: UInt64) {
        reserve(8)
        for shift in stride(from: 0, to: 64, by: 8) { put(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }
}

extension Double {
    /// The bound of a bucket as the pages of all formats show it in the label `le`.
    package var bucketBoundText: String { NumberFormat.boundText(self) }
}
