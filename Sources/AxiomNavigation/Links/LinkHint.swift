// SPDX-License-Identifier: Apache-2.0

/// Finds the pattern that the author of an unknown link perhaps meant.
enum LinkHint {
    /// Bounds of the search, because the link comes from outside.
    private static let (elementLimit, characterLimit, patternLimit) = (8, 24, 256)

    /// The pattern that differs least from the link, or nil if each of them differs in more than half of its elements.
    static func nearest(to link: LinkText, in patterns: [URLPattern]) -> URLPattern? {
        var best: (distance: Double, pattern: URLPattern)?
        for pattern in patterns.prefix(patternLimit) {
            let distance = distance(from: link, to: pattern)
            if distance < best?.distance ?? .infinity { best = (distance, pattern) }
        }
        guard let best else { return nil }
        return best.distance <= Double(best.pattern.elements.count) / 2 ? best.pattern : nil
    }

    /// The number of elements that differ; a fraction for an element that is misspelt or missing. An empty host is no
    /// element here, so that `shop:/product/7` is close to `shop://product/:id`.
    private static func distance(from link: LinkText, to pattern: URLPattern) -> Double {
        let texts = link.elements.drop { $0.isEmpty }.prefix(elementLimit)
        let elements = pattern.elements.drop { $0 == .literal("") }
        var sum = misspelling(link.scheme, pattern.scheme)
        for (text, element) in zip(texts, elements) {
            switch element {
            case .literal(let literal): sum += misspelling(text, literal)
            case .capture: sum += 0.125
            }
        }
        let missing = elements.count - texts.count
        return sum + 0.75 * Double(pattern.rest == .none ? abs(missing) : max(0, missing))
    }

    /// The share of characters that differ, or 1 if more than half of them do.
    private static func misspelling(_ text: String, _ literal: String) -> Double {
        if text == literal { return 0 }
        let (first, second) = (Array(text.lowercased().prefix(characterLimit)), Array(literal.prefix(characterLimit)))
        let share = Double(edits(first, second)) / Double(max(1, first.count, second.count))
        return share > 0.5 ? 1 : max(share, 0.125)
    }

    /// The Levenshtein distance.
    private static func edits(_ first: [Character], _ second: [Character]) -> Int {
        var row = Array(0...second.count)
        for (index, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in second.enumerated() {
                let cost = min(diagonal + (character == other ? 0 : 1), row[column] + 1, row[column + 1] + 1)
                diagonal = row[column + 1]
                row[column + 1] = cost
            }
        }
        return row[second.count]
    }
}
