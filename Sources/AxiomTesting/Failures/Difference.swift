// SPDX-License-Identifier: Apache-2.0

/// The difference of two values, line by line: what is expected after a minus, what is there after a plus, and what both
/// have without a mark. Equal parts are left out and counted.
struct Difference {
    private static let legend = "(Expected: −, Actual: +)"
    /// A value with a longer text gets a line for each of its parts.
    private static let lineLimit = 80
    /// Longer collections are compared by position.
    private static let alignmentLimit = 500

    private(set) var lines: [String] = []

    /// The difference and its legend; nil if the trees are equal.
    ///
    /// - Parameter label: The name of the value, such as that of a property; nil for none.
    static func text(expected: ValueTree, actual: ValueTree, label: String? = nil) -> String? {
        text([(label, expected, actual)])
    }

    /// The differences of several values and the legend; nil if all are equal.
    static func text(_ values: [(label: String?, expected: ValueTree?, actual: ValueTree?)]) -> String? {
        var difference = Difference()
        for value in values {
            difference.add(value.label.map { "\($0): " } ?? "", value.expected, value.actual, depth: 1, end: "")
        }
        guard !difference.lines.isEmpty else { return nil }
        return (difference.lines + ["", legend]).joined(separator: "\n")
    }

    private mutating func write(_ mark: Character, _ depth: Int, _ text: String) {
        lines.append("\(mark) " + String(repeating: "  ", count: depth) + text)
    }

    private mutating func add(
        _ prefix: String,
        _ expected: ValueTree?,
        _ actual: ValueTree?,
        depth: Int,
        end: String
    ) {
        guard expected != actual else { return }
        switch (expected, actual) {
        case (.parts(let name, let before)?, .parts(let other, let after)?)
        where name == other && before.map(\.label) == after.map(\.label) && !before.isEmpty:
            write(" ", depth, prefix + name + "(")
            let pairs = zip(before, after).map { ($0.label.map { "\($0): " } ?? "", $0.value, $1.value) }
            for (label, old, new) in pairs { add(label, old, new, depth: depth + 1, end: ",") }
            note(unchanged: pairs.count { $0.1 == $0.2 }, depth + 1)
            write(" ", depth, ")" + end)
        case (.list(let before)?, .list(let after)?) where !before.isEmpty && !after.isEmpty:
            write(" ", depth, prefix + "[")
            addElements(before, after, depth: depth + 1)
            write(" ", depth, "]" + end)
        case (.entries(let before)?, .entries(let after)?) where !before.isEmpty && !after.isEmpty:
            write(" ", depth, prefix + "[")
            addEntries(before, after, depth: depth + 1)
            write(" ", depth, "]" + end)
        default:
            if let expected { add(whole: expected, "-", prefix, depth, end) }
            if let actual { add(whole: actual, "+", prefix, depth, end) }
        }
    }

    /// Writes a value that only one side has.
    private mutating func add(whole value: ValueTree, _ mark: Character, _ prefix: String, _ depth: Int, _ end: String)
    {
        let line = prefix + value.line + end
        guard line.count > Self.lineLimit else { return write(mark, depth, line) }
        switch value {
        case .leaf: write(mark, depth, line)
        case .parts(let name, let parts):
            write(mark, depth, prefix + name + "(")
            for part in parts { add(whole: part.value, mark, part.label.map { "\($0): " } ?? "", depth + 1, ",") }
            write(mark, depth, ")" + end)
        case .list(let elements):
            write(mark, depth, prefix + "[")
            for element in elements { add(whole: element, mark, "", depth + 1, ",") }
            write(mark, depth, "]" + end)
        case .entries(let entries):
            write(mark, depth, prefix + "[")
            for entry in entries { write(mark, depth + 1, entry.line + ",") }
            write(mark, depth, "]" + end)
        }
    }

    private mutating func note(unchanged count: Int, _ depth: Int) {
        if count > 0 { write(" ", depth, "… \(count) unchanged") }
    }
}

// MARK: - Collections

extension Difference {
    /// Compares the elements of two collections. Elements with an `id` are the same if it is equal, others if they are.
    private mutating func addElements(_ before: [ValueTree], _ after: [ValueTree], depth: Int) {
        var unchanged = 0
        for (old, new) in Self.aligned(before, after) {
            if old == new {
                unchanged += 1
                continue
            }
            note(unchanged: unchanged, depth)
            unchanged = 0
            add("", old, new, depth: depth, end: ",")
        }
        note(unchanged: unchanged, depth)
    }

    private mutating func addEntries(_ before: [ValueTree.Entry], _ after: [ValueTree.Entry], depth: Int) {
        let (old, new) = (Self.byKey(before), Self.byKey(after))
        var unchanged = 0
        for key in Set(old.keys).union(new.keys).sorted(by: { $0.line < $1.line }) {
            switch (old[key], new[key]) {
            case (let left?, let right?) where left == right: unchanged += 1
            case (let left?, let right?): add("\(key.line): ", left.value, right.value, depth: depth, end: ",")
            case (let left?, nil): write("-", depth, left.line + ",")
            case (nil, let right?): write("+", depth, right.line + ",")
            case (nil, nil): break
            }
        }
        note(unchanged: unchanged, depth)
    }

    private static func byKey(_ entries: [ValueTree.Entry]) -> [ValueTree: ValueTree.Entry] {
        Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
    }

    /// The elements in pairs; the side that lacks one is nil. The longest common subsequence of their keys is paired.
    private static func aligned(_ before: [ValueTree], _ after: [ValueTree]) -> [(ValueTree?, ValueTree?)] {
        guard max(before.count, after.count) <= alignmentLimit else {
            return (0..<max(before.count, after.count)).map {
                ($0 < before.count ? before[$0] : nil, $0 < after.count ? after[$0] : nil)
            }
        }
        let (old, new) = (before.map { $0.identity ?? $0.line }, after.map { $0.identity ?? $0.line })
        let lengths = commonLengths(old, new)
        var pairs: [(ValueTree?, ValueTree?)] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, right < new.count, old[left] == new[right] {
                pairs.append((before[left], after[right]))
                (left, right) = (left + 1, right + 1)
            } else if right == new.count || left < old.count && lengths[left + 1][right] >= lengths[left][right + 1] {
                pairs.append((before[left], nil))
                left += 1
            } else {
                pairs.append((nil, after[right]))
                right += 1
            }
        }
        return pairs
    }

    /// The length of the longest common subsequence of each pair of suffixes.
    private static func commonLengths(_ old: [String], _ new: [String]) -> [[Int]] {
        var lengths = [[Int]](repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
        for left in old.indices.reversed() {
            for right in new.indices.reversed() {
                lengths[left][right] =
                    old[left] == new[right]
                    ? lengths[left + 1][right + 1] + 1 : max(lengths[left + 1][right], lengths[left][right + 1])
            }
        }
        return lengths
    }
}
