// SPDX-License-Identifier: Apache-2.0

/// Finds what somebody may have meant.
package enum Nearest {
    /// The candidates, that with the fewest edits from `text` first; equal ones in their order.
    package static func names(to text: String, among candidates: some Collection<String>) -> [String] {
        candidates.map { ($0, edits($0, text)) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
    }

    /// How many characters must be inserted, deleted or replaced to make one text from the other. Cost: the product of
    /// the lengths; only the first 200 characters count.
    package static func edits(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.prefix(200)), Array(second.prefix(200)))
        var row = Array(0...second.count)
        for (i, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in second.enumerated() {
                let replaced = diagonal + (character == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
            }
        }
        return row[second.count]
    }
}
