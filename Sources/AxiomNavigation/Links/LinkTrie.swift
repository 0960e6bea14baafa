// SPDX-License-Identifier: Apache-2.0

/// The patterns of a table, as a trie over schemes, hosts and segments.
///
/// A search tries a literal before a capture, and a capture before the rest. It visits each node at most once, because
/// a node has one parent. Literals cost one dictionary look-up for each segment, however many patterns there are.
struct LinkTrie: Sendable {
    private struct Node {
        var literals: [String: Int] = [:]
        var capture: Int?
        /// The patterns that end here.
        var leaves: [Int] = []
        /// The patterns whose rest begins here.
        var rests: [Int] = []
    }

    private(set) var patterns: [URLPattern] = []
    private var nodes: [Node] = []
    private var roots: [String: Int] = [:]

    /// Adds a pattern. Its number is the count of those before it.
    mutating func insert(_ pattern: URLPattern) {
        var node = child(roots[pattern.scheme])
        roots[pattern.scheme] = node
        for element in pattern.elements {
            switch element {
            case .literal(let text):
                let next = child(nodes[node].literals[text])
                nodes[node].literals[text] = next
                node = next
            case .capture:
                let next = child(nodes[node].capture)
                nodes[node].capture = next
                node = next
            }
        }
        if pattern.rest == .none {
            nodes[node].leaves.append(patterns.count)
        } else {
            nodes[node].rests.append(patterns.count)
        }
        patterns.append(pattern)
    }

    /// The node at an index, or a new one.
    private mutating func child(_ index: Int?) -> Int {
        if let index { return index }
        nodes.append(Node())
        return nodes.count - 1
    }

    /// The first pattern that matches, in the order of the search, and what it captures.
    func first(matching link: LinkText) -> (pattern: Int, captures: URLCaptures)? {
        roots[link.scheme].flatMap { search($0, 0, link) }
    }

    private func search(_ node: Int, _ depth: Int, _ link: LinkText) -> (pattern: Int, captures: URLCaptures)? {
        if depth == link.elements.count {
            if let found = accepted(nodes[node].leaves, link) { return found }
        } else {
            let text = link.elements[depth]
            if let next = nodes[node].literals[text], let found = search(next, depth + 1, link) { return found }
            if !text.isEmpty, let next = nodes[node].capture, let found = search(next, depth + 1, link) { return found }
        }
        return accepted(nodes[node].rests, link)
    }

    /// The first of these patterns whose query fits too.
    private func accepted(_ numbers: [Int], _ link: LinkText) -> (pattern: Int, captures: URLCaptures)? {
        for number in numbers {
            if let captures = patterns[number].match(link) { return (number, captures) }
        }
        return nil
    }

    /// The patterns whose host and path have a URL in common with those of `pattern`, in the order of insertion.
    func neighbours(of pattern: URLPattern) -> [Int] {
        var found: [Int] = []
        if let root = roots[pattern.scheme] { collect(root, 0, pattern, &found) }
        return found.sorted()
    }

    private func collect(_ node: Int, _ depth: Int, _ pattern: URLPattern, _ found: inout [Int]) {
        found += nodes[node].rests
        guard depth < pattern.elements.count else {
            found += nodes[node].leaves
            if pattern.rest != .none { collectAll(below: node, &found) }
            return
        }
        if case .literal(let text) = pattern.elements[depth] {
            nodes[node].literals[text].map { collect($0, depth + 1, pattern, &found) }
        } else {
            for next in nodes[node].literals.values { collect(next, depth + 1, pattern, &found) }
        }
        nodes[node].capture.map { collect($0, depth + 1, pattern, &found) }
    }

    private func collectAll(below node: Int, _ found: inout [Int]) {
        for next in Array(nodes[node].literals.values) + (nodes[node].capture.map { [$0] } ?? []) {
            found += nodes[next].leaves + nodes[next].rests
            collectAll(below: next, &found)
        }
    }
}
