// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Foundation

/// Maps URLs to routes, and routes to URLs.
///
/// ```swift
/// let product = try DeepLink<ShopRoute>("shop://product/:id", "https://shop.example/product/:id") { captures in
///     [.home, .product(try captures.require("id"))]
/// } print: { route in
///     guard case .product(let id) = route else { return nil }
///     return ["id": id]
/// }
/// ```
public struct DeepLink<R: Route>: Sendable {
    /// The patterns. Routes are printed with the first one.
    package let patterns: [URLPattern]
    /// The stack of routes that captures stand for, the root first; nil or empty if there is none.
    let routes: @Sendable (URLCaptures) throws -> [R]?
    /// The captures that stand for a route; nil if the link is not for this route.
    let print: @Sendable (R) -> URLCaptures?

    /// Creates a link of patterns with the same captures.
    ///
    /// - Parameters:
    ///   - pattern: The first pattern. Routes are printed with it.
    ///   - alternatives: Further patterns for the same routes.
    ///   - routes: The stack of routes that captures stand for, the root first; nil or empty if there is none. The
    ///     code that opens the link gets the error that it throws.
    ///   - print: The captures that stand for the last route of a stack; nil if the link is not for this route. By
    ///     default, the link prints nothing.
    public init(
        _ pattern: URLPattern,
        _ alternatives: URLPattern...,
        routes: @escaping @Sendable (URLCaptures) throws -> [R]?,
        print: @escaping @Sendable (R) -> URLCaptures? = { _ in nil }
    ) {
        patterns = [pattern] + alternatives
        self.routes = routes
        self.print = print
    }

    /// Creates a link of the texts of patterns.
    ///
    /// - Throws: ``Axiom/NavigationError`` if a pattern is invalid.
    public init(
        _ pattern: String,
        _ alternatives: String...,
        routes: @escaping @Sendable (URLCaptures) throws -> [R]?,
        print: @escaping @Sendable (R) -> URLCaptures? = { _ in nil }
    ) throws(NavigationError) {
        var patterns = [try URLPattern(pattern)]
        for text in alternatives { patterns.append(try URLPattern(text)) }
        self.patterns = patterns
        self.routes = routes
        self.print = print
    }
}

/// What a ``DeepLinkTable`` does with two patterns that match the same URL.
public enum LinkOverlaps: Sendable, Hashable {
    /// It refuses them, so that the order and the number of patterns have no influence on a link.
    case refused
    /// At the first element in which the two differ, a literal wins over a capture, and a capture over the rest. The
    /// table refuses only patterns that differ in nothing but the names of captures and items of their queries.
    case literalFirst
}

/// Finds the routes of deep links. A ``DeepLinkTable`` is one; an application with other rules writes its own.
public protocol DeepLinkHandler<R>: Sendable {
    associatedtype R: Route

    /// Whether `url` is a link for this handler. It may still lead to no route.
    func canHandle(_ url: URL) -> Bool

    /// The route that `url` stands for.
    ///
    /// - Throws: ``Axiom/NavigationError`` if there is none.
    func route(from url: URL) async throws -> R

    /// The stack of routes that `url` stands for, the root first. By default, the one route.
    ///
    /// - Throws: ``Axiom/NavigationError`` if there is none.
    func routes(from url: URL) async throws -> [R]
}

extension DeepLinkHandler {
    /// The one route of the link.
    public func routes(from url: URL) async throws -> [R] { [try await route(from: url)] }
}

extension DeepLinkTable: DeepLinkHandler {
    /// Whether a pattern matches.
    public func canHandle(_ url: URL) -> Bool { (try? match(url.absoluteString)) != nil }

    /// The last route of the stack that `url` stands for.
    public func route(from url: URL) async throws -> R {
        let routes = try routes(for: url)
        return routes[routes.count - 1]
    }

    /// The stack of routes that `url` stands for.
    public func routes(from url: URL) async throws -> [R] {
        try routes(for: url)
    }
}

/// Shows the routes of deep links: a flow.
@MainActor
public protocol DeepLinkTarget<R>: AnyObject {
    associatedtype R: Route

    /// Goes back to the root, and shows `routes`, the root first, as one transition that middleware sees.
    ///
    /// - Throws: What the transition throws.
    @discardableResult
    func reset(to routes: [R], from source: NavigationSource) async throws -> NavigationOutcome<R>
}
