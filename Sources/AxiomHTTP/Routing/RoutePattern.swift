// SPDX-License-Identifier: Apache-2.0

/// The path of a route, taken apart and checked.
struct RoutePattern: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    let parts: [Part]

    /// - Throws: ``HTTPServerError`` with code `invalidRoute` that names the path and what is wrong with it.
    init(_ path: String) throws {
        guard path.hasPrefix("/") else { throw Self.error(path, "must begin with a slash") }
        var names: Set<String> = []
        parts = try path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { text in
            let part = try Self.part(text, of: path)
            if case .parameter(let name) = part, !names.insert(name).inserted {
                throw Self.error(path, "has the parameter {\(name)} twice")
            }
            return part
        }
    }

    private static func part(_ text: Substring, of path: String) throws -> Part {
        if text.contains(where: { "?#%".contains($0) }) || text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
            throw error(path, "is written decoded, without query: it may have no blank and none of ? # %")
        }
        guard text.contains(where: { "{}".contains($0) }) else { return .literal(String(text)) }
        let name = text.dropFirst().dropLast()
        guard text.hasPrefix("{"), text.hasSuffix("}"), !name.isEmpty, !name.contains(where: { "{}".contains($0) })
        else { throw error(path, "may have braces only around a whole part, such as /orders/{id}") }
        return .parameter(String(name))
    }

    /// What the parameters match, or `nil` when the pattern does not match.
    func match(_ segments: [String]) -> [String: String]? {
        guard segments.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(parts, segments) {
            switch part {
            case .literal(let text): guard text == segment else { return nil }
            case .parameter(let name):
                guard !segment.isEmpty else { return nil }
                parameters[name] = segment
            }
        }
        return parameters
    }

    /// The pattern without the names of its parameters: two routes of one shape match the same paths.
    var shape: [String?] {
        parts.map { part in
            if case .literal(let text) = part { text } else { nil }
        }
    }

    private static func error(_ path: String, _ problem: String) -> HTTPServerError {
        HTTPServerError(.invalidRoute, "the route path \(path.debugDescription) \(problem)")
    }
}
