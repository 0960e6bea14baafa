// SPDX-License-Identifier: Apache-2.0

/// The routes of a server.
package struct HTTPRouter: Sendable {
    /// The routes of one path shape, by method.
    private struct Resource: Sendable {
        let pattern: RoutePattern
        var routes: [HTTPMethod: Matched]
    }

    private struct Matched: Sendable {
        let route: HTTPRoute
        /// The routes of one shape may name their parameters differently.
        let pattern: RoutePattern
    }

    enum Match: Sendable {
        case route(HTTPRoute, parameters: [String: String])
        case methodNotAllowed(allowed: String)
        case notFound
    }

    let routes: [HTTPRoute]
    private var literals: [[String]: Resource] = [:]
    /// Tried in order if no literal path matches, the more literal first.
    private var patterns: [Resource] = []

    /// Creates a router of routes.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidRoute` when a path or method is malformed, a body limit is
    ///   negative, or two routes have the same method and match the same paths.
    package init(_ routes: [HTTPRoute]) throws {
        self.routes = routes
        var byShape: [[String?]: Resource] = [:]
        for route in routes {
            let pattern = try Self.validated(route)
            var resource = byShape[pattern.shape] ?? Resource(pattern: pattern, routes: [:])
            guard resource.routes.updateValue(Matched(route: route, pattern: pattern), forKey: route.method) == nil
            else {
                throw HTTPServerError(.invalidRoute, "two routes answer \(route.method) \(route.path); remove one")
            }
            byShape[pattern.shape] = resource
        }
        for (shape, resource) in byShape {
            if shape.contains(nil) {
                patterns.append(resource)
            } else {
                literals[shape.compactMap(\.self)] = resource
            }
        }
        patterns.sort { Self.precedes($0.pattern.shape, $1.pattern.shape) }
    }

    /// The paths of the reserved routes, as they occur in a request line.
    var reservedPaths: Set<String> {
        Set(routes.filter { $0.isReserved && !$0.path.contains("{") }.map(\.path))
    }

    func match(_ method: HTTPMethod, _ segments: [String]) -> Match {
        guard let resource = literals[segments] ?? patterns.first(where: { $0.pattern.match(segments) != nil })
        else { return .notFound }
        let matched = resource.routes[method] ?? (method == .head ? resource.routes[.get] : nil)
        guard let matched, let parameters = matched.pattern.match(segments) else {
            return .methodNotAllowed(allowed: Self.allowed(by: resource))
        }
        return .route(matched.route, parameters: parameters)
    }

    private static func allowed(by resource: Resource) -> String {
        var methods = Set(resource.routes.keys.map(\.rawValue))
        if methods.contains(HTTPMethod.get.rawValue) { methods.insert(HTTPMethod.head.rawValue) }
        return methods.sorted().joined(separator: ", ")
    }

    private static func validated(_ route: HTTPRoute) throws -> RoutePattern {
        guard !route.method.rawValue.isEmpty, route.method.rawValue.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
        else {
            throw HTTPServerError(
                .invalidRoute,
                "the method \(route.method.rawValue.debugDescription) of \(route.path) is not written in letters A to Z"
            )
        }
        guard route.maximumBodyBytes >= 0 else {
            throw HTTPServerError(
                .invalidRoute,
                "maximumBodyBytes of \(route.method) \(route.path) is \(route.maximumBodyBytes); 0 or more is allowed"
            )
        }
        return try RoutePattern(route.path)
    }

    /// At the first part in which two shapes differ, a literal comes before a parameter.
    private static func precedes(_ left: [String?], _ right: [String?]) -> Bool {
        for (left, right) in zip(left, right) where left != right {
            guard let left else { return false }
            guard let right else { return true }
            return left < right
        }
        return left.count < right.count
    }
}

extension HTTPRouter.Match {
    /// Whether the request is for a health check.
    var isHealthCheck: Bool {
        if case .route(let route, _) = self { route.isHealthCheck } else { false }
    }
}

/// The validated path of a route.
struct RoutePattern: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    let parts: [Part]

    /// - Throws: ``HTTPServerError`` with code `invalidRoute` that names the path and its fault.
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

    /// The values of the parameters; nil if the pattern does not match.
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

    /// The pattern without the names of its parameters. Two routes of one shape match the same paths.
    var shape: [String?] {
        parts.map { part in
            if case .literal(let text) = part { text } else { nil }
        }
    }

    private static func error(_ path: String, _ problem: String) -> HTTPServerError {
        HTTPServerError(.invalidRoute, "the route path \(path.debugDescription) \(problem)")
    }
}
