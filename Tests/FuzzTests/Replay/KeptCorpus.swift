// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// The inputs that `Scripts/fuzz --keep` found worth keeping, and changed ones.
///
/// A file has one input on each line: printable ASCII stands for itself, a backslash is doubled, another byte is `\xNN`. A
/// line that begins with `#` is a comment.
enum KeptCorpus {
    static let folder = Repository.root.appending(path: "Tests/FuzzTests/Corpus")

    /// The inputs of a target; none if there is no file.
    static func inputs(of target: String) throws -> [[UInt8]] {
        let file = folder.appending(path: "\(target).txt")
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
        return try lines.filter { $0.first != UInt8(ascii: "#") }.map { try decoded(Array($0)) }
    }

    struct Malformed: Error {
        let line: String
    }

    static func decoded(_ line: [UInt8]) throws -> [UInt8] {
        var (rest, bytes): (ArraySlice<UInt8>, [UInt8]) = (line[...], [])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            if rest.first == UInt8(ascii: "\\") {
                bytes.append(byte)
                rest = rest.dropFirst()
                continue
            }
            guard rest.first == UInt8(ascii: "x"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16)
            else { throw Malformed(line: String(decoding: line, as: UTF8.self)) }
            bytes.append(value)
            rest = rest.dropFirst(3)
        }
        return bytes
    }

    static func encoded(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var line: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\\"): line += [byte, byte]
            case UInt8(ascii: "#") where index == 0: line += "\\x23".utf8
            case 0x20...0x7E: line.append(byte)
            default: line += [UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// Makes new inputs of others, without the help of coverage.
struct Mutator<Random: RandomNumberGenerator> {
    let inputs: [[UInt8]]
    let words: [[UInt8]]
    let limit: Int
    var random: Random

    init(_ target: FuzzTarget, _ inputs: [[UInt8]], _ random: Random) {
        self.inputs = inputs + [[]]
        words = target.words.map { Array($0.utf8) }
        limit = target.maximumLength
        self.random = random
    }

    mutating func next() -> [UInt8] {
        var bytes = inputs.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...6, using: &random) { change(&bytes) }
        return Array(bytes.prefix(limit))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...8, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 2: bytes.insert(.random(in: 0...255, using: &random), at: start)
        case 3: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: start)
        case 4:
            let other = inputs.randomElement(using: &random) ?? []
            bytes.replaceSubrange(start..., with: other[Int.random(in: 0...other.count, using: &random)...])
        default: if start < bytes.count { bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        }
    }
}
