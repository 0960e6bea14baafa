// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

extension NavigationError {
    /// The text of a pattern is invalid. The message shows the position.
    static func invalidPattern(_ pattern: String, _ problem: LinkProblem) -> Self {
        NavigationError(
            .invalidPattern,
            "The pattern of a deep link is invalid, because \(problem.reason.clause):\n"
                + Self.excerpt(of: pattern, at: problem.offset) + ".",
            recoverySuggestion: problem.remedy
        )
    }

    /// Two patterns of a table match the same URL.
    static func overlappingPatterns(_ first: URLPattern, _ second: URLPattern, example: String) -> Self {
        NavigationError(
            .overlappingPatterns,
            "The patterns \(first) and \(second) overlap: both match \(example)."
        )
    }

    /// The text of a link is not a URL that the framework accepts. The text is not part of the message: it can be long,
    /// and can contain secrets.
    static func invalidLink(_ problem: LinkProblem) -> Self {
        NavigationError(
            .invalidLink,
            "The link is not a valid URL, because \(problem.reason.clause), at byte \(problem.offset).",
            recoverySuggestion: problem.remedy
        )
    }

    /// A capture is missing or not of the required type.
    static func invalidCapture(_ name: String, _ type: String, isMissing: Bool) -> Self {
        let problem = isMissing ? "is missing" : "is not a valid \(type)"
        return NavigationError(.invalidCapture, "The value \(name) of a link \(problem).")
    }

    /// Links and the routes that they print do not agree.
    static func unequalLinks(_ problems: [String]) -> Self {
        NavigationError(
            .unequalLinks,
            "Deep links do not lead back to their routes: \(problems.joined(separator: "; "))."
        )
    }

    /// No flow opens links.
    static func noLinkHandler() -> Self {
        NavigationError(.noLinkHandler, "No navigation flow of the application opens links.")
    }

    /// No pattern matches a link, or the link of the pattern has no routes for it.
    ///
    /// - Parameter nearest: The pattern that the author of the link perhaps meant.
    static func unknownLink(_ link: LinkText, nearest: URLPattern?) -> Self {
        let shown = URLPattern.url(link.scheme, link.elements, [])
        let text = shown.count <= 100 ? shown : shown.prefix(100) + "…"
        let error = NavigationError.unknownRoute(text)
        guard let nearest else { return error }
        return NavigationError(
            .unknownRoute,
            error.message,
            recoverySuggestion: "Check the link. The nearest pattern is \(nearest)."
        )
    }

    /// Up to 60 characters around a byte of `text`, and a caret below it.
    private static func excerpt(of text: String, at offset: Int) -> String {
        let head = text.utf8.prefix(max(0, offset))
        let before = String(decoding: head.suffix(200), as: UTF8.self).suffix(40)
        let after = String(decoding: text.utf8.dropFirst(head.count).prefix(100), as: UTF8.self).prefix(20)
        let line = (before + after).map {
            $0.unicodeScalars.allSatisfy { $0.value > 0x1f && $0 != "\u{7f}" } ? $0 : "?"
        }
        return "    \(String(line))\n    \(String(repeating: " ", count: before.count))^"
    }
}

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
