// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@_spi(AxiomTools) @testable import AxiomNavigation

@Suite("Links against a reference matcher", .timeLimit(.minutes(30)))
struct LinkModelTests {
    private static let urls = LinkGenerator.all(depth: 4)

    /// A table of random patterns, without those that it refuses; `refused` gets each of these with its example.
    private func trie(
        _ generator: inout LinkGenerator,
        count: Int,
        refused: (URLPattern, URLPattern, String) -> Void = { _, _, _ in }
    ) throws -> LinkTrie {
        var trie = LinkTrie()
        for _ in 0..<count {
            let pattern = try URLPattern(generator.pattern())
            let conflict = trie.neighbours(of: pattern).lazy.compactMap { index in
                trie.patterns[index].overlap(with: pattern).map { (trie.patterns[index], $0) }
            }.first
            if let (other, example) = conflict {
                refused(pattern, other, example)
            } else {
                trie.insert(pattern)
            }
        }
        return trie
    }

    @Test("Two patterns overlap exactly if some URL matches both, and the example is one (URL-02)")
    func overlap() throws {
        var generator = LinkGenerator(random: SeededGenerator(seed: TestSeed.drawn()))
        let links = Self.urls.compactMap { LinkReference($0) }
        var overlaps = 0
        for _ in 0..<max(50, TestScale.count(2_000)) {
            let (first, second) = (generator.pattern(), generator.pattern())
            let example = try URLPattern(first).overlap(with: try URLPattern(second))
            let exists = links.contains { $0.match(first) != nil && $0.match(second) != nil }
            #expect(exists == (example != nil), "\(first) \(second)")
            if let example {
                overlaps += 1
                let link = try #require(LinkReference(example))
                #expect(link.match(first) != nil && link.match(second) != nil, "\(first) \(second) \(example)")
                #expect(try URLPattern(first).match(example) != nil && URLPattern(second).match(example) != nil)
            }
        }
        #expect(overlaps > 0)
    }

    @Test("In a table without overlaps, no URL matches two patterns; each refusal has an example that does (URL-02)")
    func disjointTables() throws {
        var generator = LinkGenerator(random: SeededGenerator(seed: TestSeed.drawn()))
        var refusals = 0
        for _ in 0..<max(5, TestScale.count(100)) {
            let trie = try trie(&generator, count: 30) { first, second, example in
                refusals += 1
                #expect(first.match(example) != nil && second.match(example) != nil, "\(first) \(second) \(example)")
            }
            for url in Self.urls {
                let link = try LinkText(url)
                let matches = trie.patterns.indices.filter { trie.patterns[$0].match(link) != nil }
                let found = trie.first(matching: link)?.pattern
                #expect(matches.count <= 1 && matches.first == found, "\(url): \(trie.patterns)")
            }
        }
        #expect(refusals > 0)
    }

    @Test("With overlaps permitted, the most specific pattern wins (URL-02)")
    func specificFirst() throws {
        var generator = LinkGenerator(random: SeededGenerator(seed: TestSeed.drawn()))
        for _ in 0..<max(3, TestScale.count(40)) {
            var (trie, texts): (LinkTrie, [String]) = (LinkTrie(), [])
            for text in (0..<30).map({ _ in generator.pattern() }) {
                let pattern = try URLPattern(text)
                if trie.patterns.contains(where: { $0.hasShape(of: pattern) && $0.overlap(with: pattern) != nil }) {
                    continue
                }
                trie.insert(pattern)
                texts.append(text)
            }
            for url in Self.urls {
                let reference = try #require(LinkReference(url))
                let orders = texts.map { reference.match($0)?.order }
                let best = orders.compactMap(\.self).min()
                let found = try trie.first(matching: LinkText(url)).flatMap { orders[$0.pattern] }
                #expect(found == best, "\(url): \(texts)")
            }
        }
    }

    @Test("Random and mutated URLs neither trap nor differ from the reference matcher (URL-02, URL-04)")
    func fuzz() throws {
        var generator = LinkGenerator(random: SeededGenerator(seed: TestSeed.drawn()))
        var (tables, valid, matched): ([LinkTrie], Int, Int) = ([], 0, 0)
        for _ in 0..<8 { tables.append(try trie(&generator, count: 12)) }
        for round in 0..<TestScale.count(1_000_000) {
            let (text, trie) = (generator.url(), tables[round % tables.count])
            let (link, reference) = (try? LinkText(text), LinkReference(text))
            try #require((link == nil) == (reference == nil), "\(text.debugDescription)")
            guard let link, let reference else { continue }
            valid += 1
            try #require(link.elements == reference.parts, "\(text.debugDescription)")
            let expected = trie.patterns.indices.filter { reference.match(trie.patterns[$0].description) != nil }
            try #require(
                expected.count <= 1 && trie.first(matching: link)?.pattern == expected.first,
                "\(text.debugDescription)"
            )
            guard let index = expected.first else { continue }
            matched += 1
            try verify(trie.patterns[index], link, reference, text)
        }
        #expect(valid > 0 && matched > 0)
        print("fuzz: \(valid) valid links, \(matched) matches")
    }

    /// The captures are those of the reference, and are read again from the URL that is printed for them.
    private func verify(_ pattern: URLPattern, _ link: LinkText, _ reference: LinkReference, _ text: String) throws {
        let captures = try #require(pattern.match(link))
        let expected = try #require(reference.match(pattern.description))
        try #require(captures.values == expected.captures, "\(text.debugDescription)")
        try #require(captures.segments("r") == expected.rest, "\(text.debugDescription)")
        if let printed = pattern.text(captures) {
            try #require(pattern.match(printed) == captures && pattern.text(captures) == printed)
        } else {
            try #require(text.utf8.count > 600, "\(text.debugDescription)")
        }
    }

    @Test("Random patterns neither trap nor print what they do not read (URL-02, URL-05)")
    func patterns() throws {
        var generator = LinkGenerator(random: SeededGenerator(seed: TestSeed.drawn()))
        var valid = 0
        for _ in 0..<TestScale.count(200_000) {
            let text = generator.url()
            guard let pattern = try? URLPattern(text) else { continue }
            valid += 1
            let example = pattern.shortest
            try #require(pattern.match(example) != nil, "\(text.debugDescription) \(example)")
            try #require(pattern.overlap(with: pattern) == example)
        }
        #expect(valid > 0)
    }
}
