// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// A pattern of URLs: the scheme, the host and the path as one sequence, and items of the query.
///
/// | in a pattern | matches |
/// |---|---|
/// | `shop`, `shop.example`, `product` | itself: schemes and hosts without regard to case, segments of a path exactly |
/// | `:id` | one segment, or the host, and captures it |
/// | `*rest` or `*`, at the end of the path | the remaining segments, or none, and captures them under the name |
/// | `?tab=:tab` | the item `tab` of the query, which is required and not empty, and captures it |
/// | `?tab=:tab?` | the same, but the item may be missing |
/// | `?mode=edit` | the item `mode` with this value |
///
/// ```swift
/// let product = try URLPattern("shop://product/:id?tab=:tab?")
/// product.match("SHOP://product/7?utm=mail")?["id", as: Int.self]   // 7
/// product.text(["id": 7, "tab": "reviews"])                         // shop://product/7?tab=reviews
/// ```
/// A URL may have other items in its query, and a fragment; both are ignored. Text is percent-decoded once, after it
/// has been split, so that `%2F` is a character of a segment. A URL is refused if it is longer than 2,048 bytes before its query, longer than 16 KiB, or has
/// more than 64 segments.
public struct URLPattern: Sendable, Hashable, CustomStringConvertible {
    /// A part of the sequence of host and segments.
    enum Element: Sendable, Hashable {
        case literal(String)
        case capture(String)
    }

    /// The end of the sequence.
    enum Rest: Sendable, Hashable {
        /// Nothing may follow.
        case none
        /// Any segments may follow, and are captured if there is a name.
        case any(name: String?)
    }

    struct QueryItem: Sendable, Hashable {
        enum Value: Sendable, Hashable {
            case literal(String)
            case required(name: String)
            case optional(name: String)
        }

        let name: String
        let value: Value
    }

    /// The longest pattern, in bytes of its shortest URL: so there is always an example of two patterns that overlap.
    static let maximumLength = LinkText.maximumPathLength / 2

    /// The pattern, as it was written.
    public let description: String
    let scheme: String
    /// The host, then the segments.
    let elements: [Element]
    let rest: Rest
    let query: [QueryItem]

    /// Parses a pattern.
    ///
    /// - Throws: ``Axiom/NavigationError`` that shows the position of the problem.
    public init(_ pattern: String) throws(NavigationError) {
        do throws(LinkProblem) {
            var parser = try URLPatternParser(pattern)
            (scheme, elements, rest) = (parser.scheme, try parser.elements(), parser.rest)
            query = try parser.query()
            description = pattern
            guard shortest.utf8.count <= Self.maximumLength else {
                throw LinkProblem("it is longer than \(Self.maximumLength) bytes", at: 0, "Shorten it.")
            }
        } catch {
            throw .invalidPattern(pattern, error)
        }
    }

    /// What the pattern captures in `url`; nil if the URL does not match or is malformed.
    public func match(_ url: String) -> URLCaptures? { (try? LinkText(url)).flatMap(match) }

    /// The URL with `captures`, percent-encoded: the only form in which the pattern prints them.
    ///
    /// Returns nil unless the pattern would read the same captures from it. So it is nil if a value is missing or
    /// empty, is `.` or `..`, has a name that the pattern lacks, or makes the URL too long.
    package func text(_ captures: URLCaptures) -> String? {
        guard let text = rendered(captures), match(text) == captures else { return nil }
        return text
    }

    func match(_ link: LinkText) -> URLCaptures? {
        let count = elements.count
        guard link.scheme == scheme, link.elements.count >= count, rest != .none || link.elements.count == count
        else { return nil }
        var captures: URLCaptures = [:]
        for (element, text) in zip(elements, link.elements) {
            switch element {
            case .literal(let literal): guard literal == text else { return nil }
            case .capture(let name):
                guard !text.isEmpty else { return nil }
                captures.set(name, text)
            }
        }
        if case .any(let name?) = rest { captures.set(name, link.elements[count...]) }
        return capture(link, &captures) ? captures : nil
    }

    /// Captures items of the query; returns whether they fit.
    private func capture(_ link: LinkText, _ captures: inout URLCaptures) -> Bool {
        for item in query {
            let value = link.value(of: item.name)
            switch item.value {
            case .literal(let literal): guard value == literal else { return false }
            case .required(let name):
                guard let value, !value.isEmpty else { return false }
                captures.set(name, value)
            case .optional(let name):
                if let value, !value.isEmpty { captures.set(name, value) }
            }
        }
        return true
    }

    /// The URL with `captures`; nil if one is missing.
    private func rendered(_ captures: URLCaptures) -> String? {
        var path: [String] = []
        for element in elements {
            switch element {
            case .literal(let text): path.append(text)
            case .capture(let name):
                guard let value = captures[name] else { return nil }
                path.append(value)
            }
        }
        if case .any(let name?) = rest { path += captures.segments(name) }
        var items: [(String, String)] = []
        for item in query {
            switch item.value {
            case .literal(let value): items.append((item.name, value))
            case .required(let name), .optional(let name): captures[name].map { items.append((item.name, $0)) }
            }
        }
        return Self.url(scheme, path, items)
    }

    /// A URL of these parts, percent-encoded.
    static func url(_ scheme: String, _ elements: [String], _ query: [(String, String)]) -> String {
        var link = "\(scheme)://"
        PercentCoding.append(elements.first ?? "", to: &link, keeping: ":[]")
        for segment in elements.dropFirst() {
            link.append("/")
            PercentCoding.append(segment, to: &link)
        }
        for (index, item) in query.enumerated() {
            link.append(index == 0 ? "?" : "&")
            PercentCoding.append(item.0, to: &link)
            link.append("=")
            PercentCoding.append(item.1, to: &link)
        }
        return link
    }
}

/// The values that a ``URLPattern`` captures in a URL, decoded, by name.
///
/// ```swift
/// let id = captures["id", as: Int.self]           // nil if it is missing or not a number
/// let id = try captures.require("id", as: Int.self)
/// let section = captures.segments("rest")         // of *rest
/// ```
public struct URLCaptures: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The values of captures in the host, the path and the query.
    package private(set) var values: [String: String]
    private var lists: [String: [String]]

    /// Collects values, to print a URL.
    ///
    /// - Parameters:
    ///   - values: The values of `:name`, in the host, the path and the query.
    ///   - segments: The segments of `*name`.
    package init(_ values: [String: String], segments: [String: [String]] = [:]) {
        self.values = values
        lists = segments.filter { !$0.value.isEmpty }
    }

    /// Collects values. If a name occurs twice, its last value applies.
    public init(dictionaryLiteral elements: (String, any CustomStringConvertible & Sendable)...) {
        self.init(Dictionary(elements.map { ($0.0, $0.1.description) }) { _, last in last })
    }

    /// The value of `:name`; nil if an optional capture is missing, or the pattern has none of this name.
    public subscript(_ name: String) -> String? {
        values[name]
    }

    /// The value of `:name`; nil if it is missing, or its text is not a `V`.
    public subscript<V: LosslessStringConvertible>(_ name: String, as type: V.Type) -> V? {
        values[name].flatMap(V.init)
    }

    /// The value of `:name`.
    ///
    /// - Throws: ``Axiom/NavigationError`` if it is missing, or its text is not a `V`.
    public func require<V: LosslessStringConvertible>(
        _ name: String,
        as type: V.Type = V.self
    ) throws(NavigationError) -> V {
        if let value = self[name, as: type] { return value }
        throw .invalidCapture(name, String(describing: type), isMissing: values[name] == nil)
    }

    /// The segments of `*name`; empty if there are none.
    public func segments(_ name: String) -> [String] { lists[name] ?? [] }

    mutating func set(_ name: String, _ value: String) { values[name] = value }
    mutating func set(_ name: String, _ segments: ArraySlice<String>) {
        lists[name] = segments.isEmpty ? nil : Array(segments)
    }
}
