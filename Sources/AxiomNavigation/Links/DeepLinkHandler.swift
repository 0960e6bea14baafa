// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import Foundation

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
    public func routes(from url: URL) async throws -> [R] {
        [try await route(from: url)]
    }
}

extension DeepLinkTable: DeepLinkHandler {
    /// Whether a pattern matches.
    public func canHandle(_ url: URL) -> Bool {
        (try? match(url.absoluteString)) != nil
    }

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
