// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import CoreMetrics

/// Looks up and makes the handlers of one kind.
final class HandlerSource<Handler: SeriesHandler>: Sendable {
    /// Registers the family of the given name and help for a label.
    typealias Register =
        @Sendable (_ name: String, _ help: String, _ label: String) throws(MetricsError) -> OpenFamily<Handler.Child>

    /// The family of a label.
    private final class Route: ByteKeyed {
        let tableKey: [UInt8]
        /// Nil after an error, which was logged.
        let family: OpenFamily<Handler.Child>?

        init(_ label: String, _ family: OpenFamily<Handler.Child>?) {
            tableKey = Array(label.utf8)
            self.family = family
        }
    }

    private let directory: FamilyDirectory
    private let kind: SeriesKind
    private let register: Register
    /// Nil if series expire: a cache would keep them alive.
    private let cache: HandlerCache<Handler>?
    /// By label; bounded by the directory. All threads look up; changes need the lock `growth`.
    private let routes: ByteTable<Route>
    /// Not held while a family is registered.
    private let growth = Lock(())

    init(_ directory: FamilyDirectory, _ kind: SeriesKind, register: @escaping Register) {
        self.directory = directory
        self.kind = kind
        self.register = register
        cache = directory.options.idleExpiry == nil ? HandlerCache(directory.epochs) : nil
        routes = ByteTable(directory.epochs)
    }

    /// The handler of a label and its dimensions; nil if it cannot be shown.
    ///
    /// Cost: one look-up after the first call with the same arguments.
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

    /// Removes a handler's series.
    func remove(_ handler: Handler) {
        let series = handler.series
        series.family.remove(series.child)
        // After the removal from the family, so that no concurrent call can find the series and cache it.
        cache?.remove(series.child)
    }

    /// A new handler, and whether it can be cached: the overflow series of a full family cannot.
    private func resolve(_ label: String, _ dimensions: [(String, String)]) -> (handler: Handler, isLasting: Bool)? {
        guard let family = route(label) else { return nil }
        do throws(MetricsError) {
            let child = try family(PrometheusName.labels(dimensions))
            let series = Series(child: child, family: family, log: directory.log)
            return (Handler(series), !family.isOverflow(child))
        } catch {
            directory.log.error("A series of \(label) is not shown: \(error.message)")
            return nil
        }
    }

    private func route(_ label: String) -> OpenFamily<Handler.Child>? {
        var text = label
        let known = text.withUTF8 { bytes in
            let key = UnsafeRawBufferPointer(bytes)
            return routes.find(key, hash: routes.hash(key))
        }
        if let known { return known.family }
        guard directory.admit(kind, label) else { return nil }
        let route = Route(label, directory.register(kind, label, register))
        remember(route)
        return route.family
    }

    private func remember(_ route: Route) {
        route.tableKey.withUnsafeBytes { key in
            let hash = routes.hash(key)
            growth.withLock { _ in
                // Two concurrent calls with a new label registered the same family.
                if routes.find(key, hash: hash) == nil { routes.insert(route, hash: hash) }
            }
        }
    }
}

/// The handlers that record into classic or exponential histograms.
///
/// This is not a protocol, because the compiler could not specialize the calls, which would take three times as long.
enum HistogramSource: Sendable {
    case classic(HistogramHandlers<Histogram>)
    case exponential(HistogramHandlers<ExponentialHistogram>)

    func recorder(_ label: String, _ dimensions: [(String, String)]) -> (any RecorderHandler)? {
        switch self {
        case .classic(let handlers): handlers.recorders.handler(label, dimensions)
        case .exponential(let handlers): handlers.recorders.handler(label, dimensions)
        }
    }

    func timer(_ label: String, _ dimensions: [(String, String)]) -> (any TimerHandler)? {
        switch self {
        case .classic(let handlers): handlers.timers.handler(label, dimensions)
        case .exponential(let handlers): handlers.timers.handler(label, dimensions)
        }
    }

    func remove(_ handler: any RecorderHandler) {
        switch self {
        case .classic(let handlers): handlers.remove(handler)
        case .exponential(let handlers): handlers.remove(handler)
        }
    }

    func remove(_ handler: any TimerHandler) {
        switch self {
        case .classic(let handlers): handlers.remove(handler)
        case .exponential(let handlers): handlers.remove(handler)
        }
    }
}

/// The handlers that record into histograms of one class.
final class HistogramHandlers<Child: ObservingInstrument>: Sendable {
    /// Registers a family of histograms with this name, help, unit and bounds.
    typealias Register =
        @Sendable (_ name: String, _ help: String, _ unit: String?, Buckets) throws(MetricsError) -> OpenFamily<Child>

    let recorders: HandlerSource<RecorderSeries<Child>>
    let timers: HandlerSource<TimerSeries<Child>>

    init(_ directory: FamilyDirectory, register: @escaping Register) {
        let options = directory.options
        recorders = HandlerSource(directory, .recorder) { name, help, label throws(MetricsError) in
            try register(name, help, nil, options.buckets[label] ?? options.recorderBuckets)
        }
        timers = HandlerSource(directory, .timer) { name, help, label throws(MetricsError) in
            try register(name, help, "seconds", options.buckets[label] ?? options.timerBuckets)
        }
    }

    func remove(_ handler: any RecorderHandler) {
        if let handler = handler as? RecorderSeries<Child> { recorders.remove(handler) }
    }

    func remove(_ handler: any TimerHandler) {
        if let handler = handler as? TimerSeries<Child> { timers.remove(handler) }
    }
}
