// SPDX-License-Identifier: Apache-2.0

extension URLPattern {
    /// A URL that both patterns match; nil if there is none.
    @_spi(AxiomTools) public func overlap(with other: URLPattern) -> String? {
        guard scheme == other.scheme, let path = path(with: other), let items = items(with: other) else { return nil }
        return Self.url(scheme, path, items)
    }

    /// Whether the two differ in nothing but the names of their captures, and in their queries.
    @_spi(AxiomTools) public func hasShape(of other: URLPattern) -> Bool {
        guard (rest == .none) == (other.rest == .none), elements.count == other.elements.count else { return false }
        return zip(elements, other.elements).allSatisfy { pair in
            switch pair {
            case (.literal(let first), .literal(let second)): first == second
            case (.capture, .capture): true
            default: false
            }
        }
    }

    /// Whether the pattern matches each URL that another one of its shape matches.
    @_spi(AxiomTools) public func covers(_ other: URLPattern) -> Bool {
        guard scheme == other.scheme, hasShape(of: other) else { return false }
        return query.allSatisfy { item in
            let values = other.query.filter { $0.name == item.name }.map(\.value)
            switch item.value {
            case .optional: return true
            case .literal: return values.contains(item.value)
            case .required:
                return values.contains {
                    switch $0 {
                    case .literal(let text): !text.isEmpty
                    case .required: true
                    case .optional: false
                    }
                }
            }
        }
    }

    /// A URL that the pattern matches, with one character for each capture.
    var shortest: String { overlap(with: self) ?? "" }

    /// A host and segments that both match.
    private func path(with other: URLPattern) -> [String]? {
        var path: [String] = []
        for index in 0..<max(elements.count, other.elements.count) {
            guard let element = common(at: index, with: other) else { return nil }
            path.append(element)
        }
        return path
    }

    private func common(at index: Int, with other: URLPattern) -> String? {
        let pair = (element(at: index), other.element(at: index))
        switch pair {
        case (.literal(let first)?, .literal(let second)?): return first == second ? first : nil
        case (.literal(let text)?, .capture?), (.capture?, .literal(let text)?): return text.isEmpty ? nil : text
        case (.literal(let text)?, nil): return other.rest == .none ? nil : text
        case (nil, .literal(let text)?): return rest == .none ? nil : text
        case (.capture?, nil): return other.rest == .none ? nil : "x"
        case (nil, .capture?): return rest == .none ? nil : "x"
        case (.capture?, .capture?): return "x"
        case (nil, nil): return nil
        }
    }

    private func element(at index: Int) -> Element? {
        index < elements.count ? elements[index] : nil
    }

    /// Items of a query that both match; nil if there are none. A pattern ignores items that it does not name.
    private func items(with other: URLPattern) -> [(String, String)]? {
        var (items, seen): ([(String, String)], Set<String>) = ([], [])
        for name in (query + other.query).map(\.name) where seen.insert(name).inserted {
            var (literal, isRequired): (String?, Bool) = (nil, false)
            for item in query + other.query where item.name == name {
                switch item.value {
                case .literal(let value):
                    guard literal == nil || literal == value else { return nil }
                    literal = value
                case .required: isRequired = true
                case .optional: break
                }
            }
            guard !isRequired || literal != "" else { return nil }
            if literal != nil || isRequired { items.append((name, literal ?? "x")) }
        }
        return items
    }
}
