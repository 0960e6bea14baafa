// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import Foundation

/// The deep links of an application.
///
/// ```swift
/// let table = try DeepLinkTable([home, product], samples: ShopRoute.samples)
/// try table.routes(for: "shop://product/7")   // [.home, .product(7)]
/// table.text(for: .product(7))                // "shop://product/7"
/// ```
/// Each URL is matched by one pattern at most: the table refuses patterns that overlap, and shows an example.
public struct DeepLinkTable<R: Route>: Sendable {
    private let links: [DeepLink<R>]
    /// The link of each pattern of the trie.
    private let owners: [Int]
    private let trie: LinkTrie
    /// The longest URL, in bytes.
    let maximumLength: Int

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - links: The links. If two of them print a route, the first one does.
    ///   - overlaps: What to do with two patterns that match the same URL.
    ///   - samples: Routes to ``validate(_:)``.
    ///   - maximumLength: The longest URL that is accepted, in bytes: 1 or more, 16 KiB by default, so that the answer of a
    ///     sign-in with its tokens is accepted. The part before the query and the fragment has at most 2,048 bytes.
    /// - Throws: ``Axiom/NavigationError`` if patterns overlap, or a sample is not valid.
    public init(
        _ links: [DeepLink<R>],
        overlaps: LinkOverlaps = .refused,
        samples: [R] = [],
        maximumLength: Int = 16_384
    ) throws(NavigationError) {
        var (trie, owners) = (LinkTrie(), [Int]())
        for (owner, link) in links.enumerated() {
            for pattern in link.patterns {
                try Self.check(pattern, trie, overlaps)
                trie.insert(pattern)
                owners.append(owner)
            }
        }
        (self.links, self.owners, self.trie, self.maximumLength) = (links, owners, trie, maximumLength)
        if !samples.isEmpty { try validate(samples) }
    }

    private static func check(
        _ pattern: URLPattern,
        _ trie: LinkTrie,
        _ overlaps: LinkOverlaps
    ) throws(NavigationError) {
        for index in trie.neighbours(of: pattern) {
            let other = trie.patterns[index]
            guard overlaps == .refused || other.hasShape(of: pattern) else { continue }
            if let example = other.overlap(with: pattern) {
                throw .overlappingPatterns(other, pattern, example: example)
            }
        }
    }

    /// All patterns, in the order of the links.
    package var patterns: [URLPattern] { trie.patterns }

    /// The stack of routes that `url` stands for, the root first. Never empty.
    ///
    /// - Throws: ``Axiom/NavigationError/unknownRoute(_:)`` with the nearest pattern as a hint if no pattern matches or
    ///   the link has no routes; another ``Axiom/NavigationError`` if the text is no URL; what the link's closure
    ///   throws.
    public func routes(for url: String) throws -> [R] { try routes(of: try match(url)) }

    /// The stack of routes that `url` stands for, the root first. Never empty.
    ///
    /// - Throws: As for a text.
    public func routes(for url: URL) throws -> [R] {
        try routes(for: url.absoluteString)
    }

    /// The URL of `route` in the only form that the table prints. Nil if no link prints the route, or the URL would
    /// lead elsewhere.
    public func text(for route: R) -> String? {
        for (owner, link) in links.enumerated() {
            guard let captures = link.print(route), let text = link.patterns[0].text(captures) else { continue }
            if let found = try? match(text).pattern, owners[found] == owner { return text }
        }
        return nil
    }

    /// The URL of `route`. Nil if no link prints the route, or the URL would lead elsewhere.
    public func url(for route: R) -> URL? {
        text(for: route).flatMap { URL(string: $0) }
    }

    /// Tests that the URL of each sample leads back to it: it is the last route of the stack that its URL stands for.
    /// A route that no link prints is not tested.
    ///
    /// - Throws: ``Axiom/NavigationError`` that names all samples for which this is not so.
    public func validate(_ samples: [R] = R.samples) throws(NavigationError) {
        let problems = samples.compactMap(problem)
        guard problems.isEmpty else { throw .unequalLinks(problems) }
    }

    private func problem(_ sample: R) -> String? {
        let printing = links.filter { $0.print(sample) != nil }
        guard !printing.isEmpty else { return nil }
        guard let text = text(for: sample) else {
            return "\(printing[0].patterns[0]) cannot print the route \(sample.identifier)"
        }
        do {
            guard let last = try routes(for: text).last, last != sample else { return nil }
            return "\(text) is printed for \(sample.identifier), but leads to another route \(last.identifier)"
        } catch {
            return "\(text) is printed for \(sample.identifier), but leads nowhere: \(String(clause: error))"
        }
    }

    /// A URL and the pattern that matches it.
    struct Match: Sendable {
        let link: LinkText
        /// The number of the pattern.
        let pattern: Int
        let captures: URLCaptures
    }

    /// Reads a URL.
    func match(_ url: String) throws(NavigationError) -> Match {
        let link = try LinkText(reading: url, maximumLength: maximumLength)
        guard let (pattern, captures) = trie.first(matching: link) else {
            throw .unknownLink(link, nearest: LinkHint.nearest(to: link, in: trie.patterns))
        }
        return Match(link: link, pattern: pattern, captures: captures)
    }

    /// The routes of a URL that was read.
    func routes(of match: Match) throws -> [R] {
        guard let routes = try links[owners[match.pattern]].routes(match.captures), !routes.isEmpty else {
            throw NavigationError.unknownLink(match.link, nearest: nil)
        }
        return routes
    }
}
