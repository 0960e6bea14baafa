// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The memory use of clients' states, measured periodically so that actions have no extra cost.
final class StateFootprints: Sendable {
    private struct Store: Sendable {
        let meter: BudgetMeter
        let state: @Sendable () -> (any OwnedState)?
    }

    private struct Registered {
        var stores: [Store] = []
        var nextMeasurement: Instant?
        var sizes: [String: Double] = [:]
    }

    /// The minimum time between two measurements. A scrape that comes sooner measures nothing.
    static let interval: Duration = .seconds(10)

    private let clock: TimeSource
    /// Guarded by its lock; states are obtained and measured outside of it.
    private let registered = Lock(Registered())

    init(clock: TimeSource) { self.clock = clock }

    func add(_ meter: BudgetMeter, state: @escaping @Sendable () -> (any OwnedState)?) {
        registered.withLock { $0.stores.append(Store(meter: meter, state: state)) }
    }

    /// The bytes of the states of each client at the last measurement, by its name.
    var sizes: [String: Double] { registered.withLock { $0.sizes } }

    /// Measures every state, unless the last measurement is too recent. Cost for each: some microseconds for a small
    /// state, about a millisecond for the largest.
    func measure(at now: Instant) {
        let stores = registered.withLock { registered -> [Store] in
            if let next = registered.nextMeasurement, now < next { return [] }
            // A measurement without states does not count: the first states are measured as soon as there are any.
            guard !registered.stores.isEmpty else { return [] }
            registered.nextMeasurement = now.advanced(by: Self.interval)
            return registered.stores
        }
        var sizes: [String: Double] = [:]
        for store in stores {
            guard let state = store.state() else { continue }
            var estimate = FootprintEstimate()
            let bytes = estimate.bytes(of: state).rounded()
            store.meter.record(Int64(exactly: bytes) ?? .max)
            sizes[store.meter.series.component, default: 0] += bytes
        }
        if !stores.isEmpty { registered.withLock { $0.sizes = sizes } }
        let gone = stores.contains { $0.state() == nil }
        if gone { registered.withLock { registered in registered.stores.removeAll { $0.state() == nil } } }
    }
}

/// An estimate, by reflection, of the memory that a value and everything it refers to use.
///
/// In a collection with more than ``sampleLimit`` elements, the first ones stand for all. Once ``inspectionLimit``
/// values have been inspected, the inspected elements of each collection stand for the rest. A shared value is counted
/// at each occurrence; the unused capacity of collections is not counted.
///
/// Only the header of an object is counted. A lock or an actor may guard its properties, and reflection would ignore
/// that.
struct FootprintEstimate {
    static let sampleLimit = 256
    /// Bounds the whole estimate for any nesting of values: about a millisecond.
    static let inspectionLimit = 4_096
    private static let depthLimit = 32
    /// The header of an object or of a collection's storage: its type, reference count, count and capacity.
    private static let objectHeader = 16.0
    private static let collectionHeader = 32.0
    /// Strings up to this length are stored in the value itself.
    private static let smallString = 15

    private var inspections = 0

    /// The bytes of `value` and of all that it refers to.
    mutating func bytes(of value: Any) -> Double {
        Self.inlineSize(value) + referenced(by: value, depth: 0)
    }

    private mutating func referenced(by value: Any, depth: Int) -> Double {
        if let text = value as? String {
            return text.utf8.count > Self.smallString ? Self.collectionHeader + Double(text.utf8.count) : 0
        }
        if type(of: value) is AnyClass { return Self.objectHeader }
        if let hidden = (value as? any HiddenValue)?.hidden { return referenced(by: hidden, depth: depth + 1) }
        guard depth < Self.depthLimit, inspections < Self.inspectionLimit else { return 0 }
        inspections += 1
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .set, .dictionary: return elements(mirror, depth)
        default: return mirror.children.reduce(0) { $0 + referenced(by: $1.value, depth: depth + 1) }
        }
    }

    private mutating func elements(_ mirror: Mirror, _ depth: Int) -> Double {
        let count = mirror.children.count
        guard count > 0 else { return 0 }
        var bytes = 0.0
        var inspected = 0
        for child in mirror.children.prefix(Self.sampleLimit) {
            bytes += Self.inlineSize(child.value) + referenced(by: child.value, depth: depth + 1)
            inspected += 1
            if inspections >= Self.inspectionLimit { break }
        }
        return Self.collectionHeader + bytes * Double(count) / Double(inspected)
    }

    private static func inlineSize(_ value: Any) -> Double {
        func size<Value>(_ value: Value) -> Double { Double(MemoryLayout<Value>.stride) }
        return _openExistential(value, do: size)
    }
}
