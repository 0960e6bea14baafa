// SPDX-License-Identifier: Apache-2.0

/// The difference of two texts as a unified diff.
struct UnifiedDiff {
    /// Unchanged lines before and after a change.
    private static let context = 3

    fileprivate enum Line {
        case same(String)
        case removed(String)
        case added(String)

        var isSame: Bool {
            if case .same = self { return true }
            return false
        }

        var text: String {
            switch self {
            case .same(let line): " \(line)"
            case .removed(let line): "-\(line)"
            case .added(let line): "+\(line)"
            }
        }
    }

    private let lines: [Line]

    /// Compares the lines of two texts. Cost: grows with the number of lines times that of changes.
    init(expected: String, actual: String) {
        let old = expected.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let new = actual.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let difference = new.difference(from: old)
        var (removed, added): (Set<Int>, Set<Int>) = ([], [])
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var (lines, i, j): ([Line], Int, Int) = ([], 0, 0)
        while i < old.count || j < new.count {
            if i < old.count, removed.contains(i) {
                lines.append(.removed(old[i]))
                i += 1
            } else if j < new.count, added.contains(j) {
                lines.append(.added(new[j]))
                j += 1
            } else {
                lines.append(.same(old[i]))
                i += 1
                j += 1
            }
        }
        self.lines = lines
    }

    /// The hunks, each with its positions and three lines around each change; empty if the texts are equal.
    var text: String {
        hunks.map { range in
            let before = lines[..<range.lowerBound]
            let hunk = lines[range]
            let old = Self.position(before.count(where: \.isOld), hunk.count(where: \.isOld))
            let new = Self.position(before.count(where: \.isNew), hunk.count(where: \.isNew))
            return (["@@ -\(old) +\(new) @@"] + hunk.map(\.text)).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The lines of each hunk. Changes that are close to each other share one.
    private var hunks: [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in lines.indices where !lines[index].isSame {
            let range = max(0, index - Self.context)..<min(lines.count, index + Self.context + 1)
            if let last = hunks.last, range.lowerBound <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        return hunks
    }

    /// The first line, counted from 1, and the number of lines. An empty range has the line before it.
    private static func position(_ before: Int, _ count: Int) -> String {
        count == 0 ? "\(before),0" : "\(before + 1),\(count)"
    }
}

extension UnifiedDiff.Line {
    /// Whether the expected text has the line.
    fileprivate var isOld: Bool {
        if case .added = self { return false }
        return true
    }

    /// Whether the actual text has the line.
    fileprivate var isNew: Bool {
        if case .removed = self { return false }
        return true
    }
}
