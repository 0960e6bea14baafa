// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport

/// The lines of a page as bytes, for changes.
struct MutableLines {
    var lines: [[UInt8]]

    init(_ text: String) {
        lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }

    var bytes: [UInt8] { Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")] }

    /// The type of the family of each line.
    private var types: [String] {
        var type = ""
        return lines.map { line in
            if line.starts(with: "# TYPE".utf8) {
                type = line.split(separator: 32).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
            }
            return line.starts(with: "#".utf8) ? "" : type
        }
    }

    /// A random line that begins with `prefix` and has all of `parts`.
    func pick(_ prefix: String, _ parts: String..., using generator: inout SplitMix64) -> Int? {
        lines.indices.filter { index in
            lines[index].starts(with: prefix.utf8) && parts.allSatisfy { lines[index].has($0) }
        }.randomElement(using: &generator)
    }

    /// A random sample of a family of this type.
    func sample(_ type: String, using generator: inout SplitMix64) -> Int? {
        zip(lines.indices, types).filter { $0.1 == type }.map(\.0).randomElement(using: &generator)
    }
}

extension [UInt8] {
    func has(_ text: String) -> Bool { text.isEmpty || firstRange(of: Array(text.utf8)) != nil }

    /// Replaces the first occurrence; false if there is none.
    mutating func replace(_ text: String, _ other: String) -> Bool {
        guard let range = firstRange(of: Array(text.utf8)) else { return false }
        replaceSubrange(range, with: Array(other.utf8))
        return true
    }

    /// Changes the entries of the first list that begins with `field`; false if `change` returns nil.
    mutating func list(_ field: String, _ change: ([String]) -> [String]?) -> Bool {
        guard let start = firstRange(of: Array(field.utf8))?.upperBound,
            let end = self[start...].firstIndex(of: UInt8(ascii: "]")),
            let changed = change(
                String(decoding: self[start..<end], as: UTF8.self).split(separator: ",").map(String.init)
            )
        else { return false }
        replaceSubrange(start..<end, with: Array(changed.joined(separator: ",").utf8))
        return true
    }

    /// Inserts labels before the others of a sample.
    mutating func insert(labels: String) {
        let text = Array(labels.utf8)
        if first == UInt8(ascii: "{") {
            var end = 2
            while self[end] != UInt8(ascii: "\"") { end += self[end] == UInt8(ascii: "\\") ? 2 : 1 }
            insert(contentsOf: [UInt8(ascii: ",")] + text, at: end + 1)
        } else if let end = firstIndex(where: { $0 == 32 || $0 == UInt8(ascii: "{") }) {
            let isBare = self[end] == 32
            insert(
                contentsOf: isBare ? Array("{".utf8) + text + Array("}".utf8) : text + Array(",".utf8),
                at: end + (isBare ? 0 : 1)
            )
        }
    }
}
