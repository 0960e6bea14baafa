// SPDX-License-Identifier: Apache-2.0

/// Parses the text of a ``URLPattern``, and finds the positions of its problems.
struct URLPatternParser {
    private static let maximumNameLength = 64

    let scheme: String
    private(set) var rest = URLPattern.Rest.none
    private let parts: LinkParts
    private var names: Set<String> = []

    init(_ pattern: String) throws(LinkProblem) {
        parts = try LinkParts(pattern, limit: LinkText.maximumPathLength)
        scheme = String(decoding: parts.scheme.map(\.lowercased), as: UTF8.self)
        guard parts.hasAuthority else {
            throw LinkProblem("// does not follow the scheme", at: parts.path.startIndex, "Write \(scheme)://.")
        }
        if let fragment = parts.fragment {
            throw LinkProblem(
                "it has a fragment",
                at: fragment.startIndex - 1,
                "Remove it: the fragments of URLs are ignored. In a name, write %23."
            )
        }
    }

    /// The host, then the segments. Finds ``rest``, too.
    mutating func elements() throws(LinkProblem) -> [URLPattern.Element] {
        var elements = [try host()]
        var segments = parts.path.split(separator: .slash, omittingEmptySubsequences: false).dropFirst()
        if segments.last?.isEmpty == true { segments.removeLast() }
        guard segments.count <= LinkText.maximumSegments else {
            throw LinkProblem("it has more than \(LinkText.maximumSegments) segments", at: 0, "Shorten it.")
        }
        for (index, segment) in zip(segments.indices, segments) {
            if segment.first == .star {
                try parseRest(segment, isLast: index == segments.indices.last)
            } else {
                elements.append(try element(segment))
            }
        }
        return elements
    }

    private mutating func host() throws(LinkProblem) -> URLPattern.Element {
        if parts.authority.first == .colon { return .capture(try name(parts.authority.dropFirst())) }
        try refuseStar(parts.authority)
        return .literal(try LinkHost.normalized(parts.authority, scheme: scheme))
    }

    private mutating func element(_ segment: ArraySlice<UInt8>) throws(LinkProblem) -> URLPattern.Element {
        if segment.first == .colon { return .capture(try name(segment.dropFirst())) }
        try refuseStar(segment)
        let text = try PercentCoding.decode(segment)
        guard !["", ".", ".."].contains(text) else {
            let problem = text.isEmpty ? "it has an empty segment" : "it has a segment \(text)"
            throw LinkProblem(problem, at: segment.startIndex, "Remove the segment.")
        }
        return .literal(text)
    }

    private mutating func parseRest(_ segment: ArraySlice<UInt8>, isLast: Bool) throws(LinkProblem) {
        guard isLast else {
            throw LinkProblem("* is not at the end of the path", at: segment.startIndex, "Remove what follows it.")
        }
        rest = .any(name: segment.count == 1 ? nil : try name(segment.dropFirst()))
    }

    /// The items of the query.
    mutating func query() throws(LinkProblem) -> [URLPattern.QueryItem] {
        guard let query = parts.query else { return [] }
        var items: [URLPattern.QueryItem] = []
        for text in query.split(separator: .ampersand, omittingEmptySubsequences: false) {
            let item = try self.item(text)
            guard !items.contains(where: { $0.name == item.name }) else {
                throw LinkProblem("the item \(item.name) occurs twice", at: text.startIndex, "Remove one of them.")
            }
            items.append(item)
        }
        return items
    }

    private mutating func item(_ text: ArraySlice<UInt8>) throws(LinkProblem) -> URLPattern.QueryItem {
        let end = text.firstIndex(of: .equals) ?? text.endIndex
        let key = try PercentCoding.decode(text[..<end], isForm: true)
        guard !key.isEmpty else {
            throw LinkProblem(
                "an item of the query has no name",
                at: text.startIndex,
                "Write ?tab=:tab, or ?tab=:tab? if the item may be missing. A capture in the path is always required."
            )
        }
        let value = text[end...].dropFirst()
        if value.first == .colon {
            let isOptional = value.last == .question
            let name = try name(isOptional ? value.dropFirst().dropLast() : value.dropFirst())
            return .init(name: key, value: isOptional ? .optional(name: name) : .required(name: name))
        }
        try refuseStar(value)
        return .init(name: key, value: .literal(try PercentCoding.decode(value, isForm: true)))
    }

    /// The name of a capture.
    private mutating func name(_ text: ArraySlice<UInt8>) throws(LinkProblem) -> String {
        guard let first = text.first, first.isLetter || first == 0x5f, text.count <= Self.maximumNameLength else {
            throw LinkProblem(
                "a capture has no valid name",
                at: text.startIndex,
                "Write a letter and up to \(Self.maximumNameLength - 1) letters, digits and underscores, as in :id."
            )
        }
        if let bad = text.firstIndex(where: { !$0.isAlphanumeric && $0 != 0x5f }) {
            throw LinkProblem(
                "the name of a capture contains another character than letters, digits and underscores",
                at: bad,
                "A capture is a whole segment. Read a part of it in the closure of the link."
            )
        }
        let name = String(decoding: text, as: UTF8.self)
        guard names.insert(name).inserted else {
            throw LinkProblem("the name \(name) occurs twice", at: text.startIndex, "Give the capture another name.")
        }
        return name
    }

    private func refuseStar(_ text: ArraySlice<UInt8>) throws(LinkProblem) {
        guard let star = text.firstIndex(of: .star) else { return }
        throw LinkProblem(
            "* is not a segment of its own at the end of the path",
            at: star,
            "Write /*rest at the end of the path, or %2A for the character."
        )
    }
}
