// SPDX-License-Identifier: Apache-2.0

@testable import Axiom
@_spi(AxiomTools) @testable import AxiomNavigation

extension FuzzTarget {
    /// Patterns of URLs, and deep links.
    static let links: [FuzzTarget] = [
        FuzzTarget("url-pattern", maximumLength: 512, steps: (1_500, 20_000), words: linkWords, checkPattern),
        FuzzTarget("deep-link", maximumLength: 512, steps: (4_000, 50_000), share: 8, words: linkWords, checkTable),
    ]

    private static let linkWords = [
        "shop://", "https://shop.example", "/:id", "/*rest", "?tab=:tab", "?tab=:tab?", "&a=b", "%2F", "%00", "%C3%A9",
        "/../",
        "/./", "//", ":8080", "[::1]", "user@", "#fragment", "+", "%2e%2e",
    ]

    /// The first line is a pattern, the second a URL. The example of a pattern matches it; captures are printed to a URL
    /// from which they are read again.
    private static func checkPattern(_ bytes: [UInt8]) throws {
        let lines = bytes.lines
        let url = lines.dropFirst().first ?? ""
        try checkLink(url)
        guard let pattern = try? URLPattern(lines[0]) else { return }
        try requireEqual(pattern.description, lines[0], "the description")
        try require(pattern.shortest.utf8.count <= URLPattern.maximumLength, "the length of the example")
        try require(pattern.match(pattern.shortest) != nil, "the example \(pattern.shortest) of \(pattern)")
        try require(pattern.hasShape(of: pattern) && pattern.covers(pattern), "\(pattern) does not cover itself")
        guard let captures = pattern.match(url) else { return }
        let printed = pattern.text(captures)
        // A URL may be longer when every reserved character is encoded.
        if let printed {
            try requireEqual(pattern.match(printed), captures, "the captures of \(printed)")
            try requireEqual(pattern.text(captures), printed, "the second print")
        } else {
            try require(url.utf8.count * 3 > LinkText.maximumLength || hasDots(captures), "\(url) is not printed")
        }
    }

    /// A capture of `.` or `..` cannot be printed: a path has no such segment.
    private static func hasDots(_ captures: URLCaptures) -> Bool {
        captures.values.values.contains { [".", ".."].contains($0) }
    }

    /// A URL, printed from its parts, has the same parts.
    private static func checkLink(_ url: String) throws {
        guard let link = try? LinkText(url) else { return }
        try require(link.elements.count <= LinkText.maximumSegments + 1, "\(link.elements.count) elements")
        try require(!link.elements.dropFirst().contains { ["", ".", ".."].contains($0) }, "a segment of \(url)")
        let items = link.query.map { ($0.name, $0.value) }
        let printed = URLPattern.url(link.scheme, link.elements, items)
        guard printed.utf8.count <= LinkText.maximumLength else { return }
        guard let again = try? LinkText(printed) else { throw FuzzFailure(description: "\(printed) is not read") }
        try requireEqual(again, link, "the parts of \(printed)")
    }

    /// All lines but the last one are patterns of a table, which takes those that do not overlap. The trie finds a pattern
    /// exactly if one matches, and no URL matches two.
    private static func checkTable(_ bytes: [UInt8]) throws {
        var lines = bytes.lines
        let url = lines.removeLast()
        var trie = LinkTrie()
        for line in lines.prefix(12) {
            guard let pattern = try? URLPattern(line) else { continue }
            for other in trie.patterns {
                let example = pattern.overlap(with: other)
                try requireEqual(
                    other.overlap(with: pattern) == nil,
                    example == nil,
                    "the overlap of \(other) and \(pattern)"
                )
                guard let example, example.utf8.count <= LinkText.maximumLength else { continue }
                try require(
                    pattern.match(example) != nil && other.match(example) != nil,
                    "\(example) of \(other), \(pattern)"
                )
            }
            let near = trie.neighbours(of: pattern)
            let overlapping = trie.patterns.indices.filter { trie.patterns[$0].overlap(with: pattern) != nil }
            try require(Set(overlapping).isSubset(of: Set(near)), "a neighbour of \(pattern) is missing")
            if overlapping.isEmpty { trie.insert(pattern) }
        }
        guard let link = try? LinkText(url) else { return }
        let matching = trie.patterns.indices.filter { trie.patterns[$0].match(link) != nil }
        try require(matching.count <= 1, "\(url) matches \(matching.map { trie.patterns[$0] })")
        try requireEqual(trie.first(matching: link)?.pattern, matching.first, "the pattern of \(url)")
    }
}
