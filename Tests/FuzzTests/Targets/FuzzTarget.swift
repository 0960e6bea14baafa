// SPDX-License-Identifier: Apache-2.0

/// A parser, a writer or a server, with what must hold for every input, besides that nothing traps.
///
/// The same targets run under libFuzzer (`Scripts/fuzz`), and as ordinary tests over the kept corpus.
struct FuzzTarget: Sendable {
    /// The name on the command line, and of the file of the kept corpus.
    let name: String
    /// The longest input that the fuzzer makes, in bytes.
    let maximumLength: Int
    /// How many comparisons the code may make for each byte of the input, and for an empty input. Comparisons are counted
    /// under libFuzzer only; those of Foundation are not among them. Code whose cost grows with the square of the length
    /// exceeds the bound.
    let steps: (perByte: Int, base: Int)
    /// The part of the executions that the target gets when all targets share a number: less for slow ones.
    let share: Int
    /// Texts that the fuzzer inserts.
    let words: [String]
    /// Checks one input.
    ///
    /// - Throws: ``FuzzFailure`` if an invariant does not hold.
    let check: @Sendable ([UInt8]) throws -> Void

    init(
        _ name: String,
        maximumLength: Int = 1_024,
        steps: (perByte: Int, base: Int) = (400, 20_000),
        share: Int = 20,
        words: [String] = [],
        _ check: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.maximumLength = maximumLength
        self.steps = steps
        self.share = share
        self.words = words
        self.check = check
    }

    /// Every target, in the order in which `Scripts/fuzz` runs them.
    static let all: [FuzzTarget] = http + links + files + documents + expositions + server
}

/// An invariant that an input violates.
struct FuzzFailure: Error, CustomStringConvertible {
    let description: String
}

/// Throws if an invariant does not hold.
func require(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws(FuzzFailure) {
    if !holds { throw FuzzFailure(description: otherwise()) }
}

/// Throws if two values differ.
func requireEqual<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) throws(FuzzFailure) {
    if found != wanted { throw FuzzFailure(description: "\(what): \(found) is not \(wanted)") }
}

extension [UInt8] {
    /// The input as text. Bytes that are not UTF-8 become replacement characters.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The lines of the input, without their ends.
    var lines: [String] {
        split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

/// Reads numbers and texts from the input, which ends in zeros that do not end.
struct FuzzReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `limit`.
    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    mutating func word() -> UInt64 {
        (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) }
    }

    /// A text of up to `limit` bytes, which the input ends with a zero.
    mutating func text(_ limit: Int) -> String {
        let bytes = rest.prefix(limit).prefix { $0 != 0 }
        rest = rest.dropFirst(bytes.count)
        if rest.first == 0 { rest = rest.dropFirst() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
