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

    /// - Throws: ``HTTPServerError`` with code `invalidRoute` when two routes have the same method and match the same paths.
    package init(_ routes: [HTTPRoute]) throws {
        self.routes = routes
        var byShape: [[String?]: Resource] = [:]
        for route in routes {
            let pattern = RoutePattern(route.path)
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

/// The path of a route.
struct RoutePattern: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    let parts: [Part]

    /// - Parameter path: Written decoded, without query, and with braces only around whole parts, such as `/orders/{id}`.
    init(_ path: String) {
        assert(path.hasPrefix("/"), "A route begins with a slash: \(path)")
        parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
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
}
