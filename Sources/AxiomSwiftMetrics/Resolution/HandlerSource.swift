// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// Finds and makes the handlers of one kind.
final class HandlerSource<Handler: SeriesHandler>: Sendable {
    /// Registers the family of the given name and help for a label.
    typealias Register =
        @Sendable (_ name: String, _ help: String, _ label: String) throws(MetricsError) -> OpenFamily<Handler.Child>

    /// What a label leads to.
    private enum Route {
        case family(OpenFamily<Handler.Child>)
        /// There was an error, which has been logged.
        case nowhere
    }

    private let directory: FamilyDirectory
    private let kind: SeriesKind
    private let register: Register
    /// nil where series expire: a cache would hold them for ever.
    private let cache: HandlerCache<Handler>?
    /// By label; bounded by the directory. Guarded by its lock, which is not held while a family is registered.
    private let routes = Lock<[String: Route]>([:])

    init(_ directory: FamilyDirectory, _ kind: SeriesKind, register: @escaping Register) {
        self.directory = directory
        self.kind = kind
        self.register = register
        cache = directory.options.idleExpiry == nil ? HandlerCache() : nil
    }

    /// The handler of a label and its dimensions; nil when it cannot be shown.
    ///
    /// Cost: one look-up, when the same was asked for before.
    func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler? {
        guard let cache else { return resolve(label, dimensions)?.handler }
        return CallKey.withBytes(label, dimensions) { key in
            let (found, ticket) = cache.find(key)
            if let found { return found }
            guard let resolved = resolve(label, dimensions) else { return nil }
            if resolved.isLasting { cache.insert(resolved.handler, key, ticket) }
            return resolved.handler
        }
    }

    /// Takes a handler's series off the page.
    func remove(_ handler: Handler) {
        let series = handler.series
        series.family.remove(series.child)
        // After the family, so that nothing can find the series by then and remember it.
        cache?.remove(series.child)
    }

    /// A new handler, and whether it is always that of these dimensions: what found its family full is not.
    private func resolve(_ label: String, _ dimensions: [(String, String)]) -> (handler: Handler, isLasting: Bool)? {
        guard case .family(let family) = route(label) else { return nil }
        do throws(MetricsError) {
            let child = try family(PrometheusName.labels(dimensions))
            let series = Series(child: child, family: family, log: directory.log)
            return (Handler(series), !family.isOverflow(child))
        } catch {
            directory.log.error("A series of \(label) is not shown: \(error.message)")
            return nil
        }
    }

    private func route(_ label: String) -> Route {
        if let known = routes.withLock({ $0[label] }) { return known }
        guard directory.admit(kind, label) else { return .nowhere }
        let family = directory.register(kind, label, register)
        let route = family.map(Route.family) ?? .nowhere
        routes.withLock { $0[label] = route }
        return route
    }
}
