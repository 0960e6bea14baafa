// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation

/// The difference of two values, line by line: what is expected after a minus, what is there after a plus, and what both
/// have without a mark. Equal parts are left out and counted.
struct Difference {
    private static let legend = "(Expected: −, Actual: +)"
    /// A value with a longer text gets a line for each of its parts.
    private static let lineLimit = 80

    private(set) var lines: [String] = []

    /// The difference and its legend; nil if the trees are equal.
    static func text(expected: ValueTree, actual: ValueTree) -> String? {
        text([(nil, expected, actual)])
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
        guard let expected, let actual, let pairs = Self.pairs(expected, actual) else {
            if let expected { add(whole: expected, "-", prefix, depth, end) }
            if let actual { add(whole: actual, "+", prefix, depth, end) }
            return
        }
        write(" ", depth, prefix + expected.brackets.open)
        var unchanged = 0
        for pair in pairs {
            if pair.old == pair.new {
                unchanged += 1
                continue
            }
            note(&unchanged, depth + 1)
            add(pair.prefix, pair.old, pair.new, depth: depth + 1, end: ",")
        }
        note(&unchanged, depth + 1)
        write(" ", depth, expected.brackets.close + end)
    }

    /// Writes a value that only one side has.
    private mutating func add(whole value: ValueTree, _ mark: Character, _ prefix: String, _ depth: Int, _ end: String)
    {
        let line = prefix + value.line + end
        guard line.count > Self.lineLimit, !value.children.isEmpty else { return write(mark, depth, line) }
        write(mark, depth, prefix + value.brackets.open)
        for child in value.children { add(whole: child.tree, mark, child.prefix, depth + 1, ",") }
        write(mark, depth, value.brackets.close + end)
    }

    private mutating func note(_ unchanged: inout Int, _ depth: Int) {
        if unchanged > 0 { write(" ", depth, "… \(unchanged) unchanged") }
        unchanged = 0
    }

    private typealias Pair = (prefix: String, old: ValueTree?, new: ValueTree?)

    /// The children of two values of one form in pairs; nil for values of different forms. Elements with an `id` are the same
    /// if it is equal, others if they are.
    private static func pairs(_ expected: ValueTree, _ actual: ValueTree) -> [Pair]? {
        switch (expected, actual) {
        case (.parts(let name, let before), .parts(let other, let after)):
            guard name == other, before.map(\.label) == after.map(\.label) else { return nil }
            return zip(expected.children, actual.children).map { ($0.prefix, $0.tree, $1.tree) }
        case (.list(let before), .list(let after)):
            return Alignment.pairs(before, after) { $0.identity ?? $0.line }.map { ("", $0, $1) }
        case (.entries(let before), .entries(let after)):
            let (old, new) = (byKey(before), byKey(after))
            let keys = Set(old.keys).union(new.keys).sorted { $0.line < $1.line }
            return keys.map { key in ((old[key] ?? new[key])?.prefix ?? "", old[key]?.tree, new[key]?.tree) }
        default: return nil
        }
    }

    private static func byKey(_ entries: [ValueTree.Entry]) -> [ValueTree: ValueTree.Entry] {
        Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
    }
}

/// Pairs the elements of two lists so that as many as possible are together; the side that lacks one is nil.
enum Alignment {
    /// The elements of longer lists are paired by position: the cost grows with their number times that of changes.
    private static let limit = 5_000

    static func pairs<Element>(
        _ old: [Element],
        _ new: [Element],
        by key: (Element) -> String
    ) -> [(Element?, Element?)] {
        guard max(old.count, new.count) <= limit else {
            return (0..<max(old.count, new.count)).map {
                ($0 < old.count ? old[$0] : nil, $0 < new.count ? new[$0] : nil)
            }
        }
        let changes = new.map(key).difference(from: old.map(key))
        let (removed, added) = (Set(changes.removals.map(\.offset)), Set(changes.insertions.map(\.offset)))
        var (pairs, left, right): ([(Element?, Element?)], Int, Int) = ([], 0, 0)
        while left < old.count || right < new.count {
            if removed.contains(left) {
                pairs.append((old[left], nil))
                left += 1
            } else if added.contains(right) {
                pairs.append((nil, new[right]))
                right += 1
            } else {
                pairs.append((old[left], new[right]))
                (left, right) = (left + 1, right + 1)
            }
        }
        return pairs
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
