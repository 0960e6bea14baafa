// SPDX-License-Identifier: Apache-2.0

public import Axiom

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A flow whose stack outlives the process. A ``NavigationFlow`` with routes that are `Codable` is one; a navigation of
/// your own may conform.
@MainActor
public protocol RestorableFlow: AnyObject {
    /// The name of the flow, unique in the application.
    var restorationName: String { get }

    /// The routes of the stack, the root first, each encoded on its own.
    ///
    /// - Throws: Any error. The stack is not saved then.
    func encodedStack() throws -> [Data]

    /// Shows the routes of an earlier run. A route that cannot be decoded is dropped together with all above it.
    ///
    /// - Throws: Any error, also after a part of the stack was restored.
    func restoreStack(_ entries: [Data]) async throws

    /// Shows the first route, if the flow shows nothing yet. Called at the launch, after the restoration. Nothing by
    /// default.
    ///
    /// - Throws: Any error. The launch fails.
    func showFirstRoute() async throws

    /// The contexts whose images ``encodedStack()`` contains. They are not saved a second time. None by default.
    var contextsOfStack: [any Context] { get }
}

extension RestorableFlow {
    /// Nothing to do.
    public func showFirstRoute() async throws {}
    /// None.
    public var contextsOfStack: [any Context] { [] }
}

/// Encodes the routes of a stack one by one, so that a route that no longer exists costs only itself and those above.
package enum RouteStack {
    /// The routes, each as JSON. Throws the error of a route that cannot be encoded.
    package static func encode(_ routes: [some Encodable]) throws -> [Data] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try routes.map { try encoder.encode($0) }
    }

    /// The routes up to the first one that cannot be decoded.
    ///
    /// - Returns: The routes, and the error of the first that was dropped.
    package static func decode<R: Decodable>(_ entries: [Data], from flow: String) -> (routes: [R], error: (any Error)?)
    {
        var routes: [R] = []
        for entry in entries {
            do {
                routes.append(try JSONDecoder().decode(R.self, from: entry))
            } catch {
                let dropped = entries.count - routes.count
                return (routes, LifecycleError.routesDropped(dropped, of: entries.count, from: flow, cause: error))
            }
        }
        return (routes, nil)
    }
}
