// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// Counts the components that were created, that ended, that are alive, and that should have ended long ago.
///
/// The counts are collected at one consistent moment: at every scrape, created = destroyed + live.
final class ComponentCensus: Collector {
    fileprivate struct Tally {
        var created: UInt64 = 0
        var destroyed: UInt64 = 0
        /// The longest lifetime of an ended instance, in nanoseconds.
        var longest: Int64 = 0
        let module: String
        /// Nil on a lean page until an instance has ended.
        var lifetimes: ExponentialHistogram?
    }

    fileprivate struct Resident {
        let component: ComponentDescriptor
        var unmountedAt: Instant?
        /// Whether it has been reported as a leak, which happens once.
        var isReported = false
        /// Whether it was alive when its orchestrator was shut down, or was created after that.
        var outlivesShutdown: Bool
    }

    fileprivate struct State {
        /// In the order of registration.
        var components: [ComponentDescriptor] = []
        var tallies: [ComponentDescriptor: Tally] = [:]
        /// The living instances, by number.
        var residents: [UInt64: Resident] = [:]
        /// True from the shutdown of one orchestrator to the start of the next.
        var isShutDown = false
        /// How many instances ended since the last check as suspects that had not been reported.
        var endedLate: [ComponentDescriptor: Int] = [:]
    }

    /// Every field is read and written under this lock. While it is held, only dictionary operations run.
    private let state = Lock(State())
    private let lifetimes: Family<ExponentialHistogram, ComponentKind, String>
    private let detail: DetailLevel
    private let leakThreshold: Duration
    let clock: TimeSource
    /// Whether a task waits for the next leak. Guarded by its lock, which is held while the next deadline is looked up:
    /// an instance is unmounted here before ``expectLeaks(_:)`` takes the lock.
    let isWaiting = Lock(false)

    /// Registers the family of lifetimes. The counts appear once the census is registered as a collector.
    init(
        _ registry: Registry,
        leakThreshold: Duration,
        clock: TimeSource,
        detail: DetailLevel
    ) throws(MetricsError) {
        self.detail = detail
        self.leakThreshold = leakThreshold
        self.clock = clock
        lifetimes = try registry.family(
            detail.durations(.axiomLifetime, lean: []),
            "axiom_component_lifetime_seconds",
            help: "How long components lived that have ended.",
            labels: Label<ComponentKind>("kind"),
            Label<String>("component")
        )
    }

    func registered(_ component: ComponentDescriptor, module: String) {
        let histogram = detail == .full ? lifetimes(component.kind, component.name) : nil
        state.withLock { $0.add(component, module: module, lifetimes: histogram) }
    }

    func created(_ instance: ComponentInstance) {
        state.withLock { $0.created(instance) }
    }

    func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {
        // Without a threshold every instance would end late. Then only instances that are alive at a check are
        // suspects.
        let deadline = leakThreshold > .zero ? deadline : nil
        let component = instance.component
        // Looked up outside the lock. It exists from the first end on.
        let histogram = lifetimes(component.kind, component.name)
        let isKnown = state.withLock { state in
            state.end(instance.id, unmountedBefore: deadline)
            return state.tallies[component]?.ended(after: nanoseconds, histogram) != nil
        }
        if isKnown { histogram.observe(nanoseconds: nanoseconds) }
    }

    func unmounted(_ instance: ComponentInstance, at time: Instant) {
        state.withLock { $0.residents[instance.id]?.unmountedAt = time }
    }

    /// Prepares for an orchestrator that starts: new instances belong to it. Those that outlived an earlier one stay
    /// suspects.
    func begin() {
        state.withLock { $0.isShutDown = false }
    }

    /// Makes every living instance a suspect. It is reported as a leak if it stays alive for the threshold.
    func shutDown(at time: Instant) {
        state.withLock { $0.shutDown(at: time) }
    }

    /// How many components of a type were created.
    func created(_ component: ComponentDescriptor) -> UInt64 {
        state.withLock { $0.tallies[component]?.created ?? 0 }
    }

    /// The instances that have outlived the threshold since the last call. Each is returned once.
    func newLeaks() -> [Leak] {
        let deadline = deadline
        return state.withLock { $0.newLeaks(unmountedBefore: deadline) }
    }

    /// The time at which the next instance outlives the threshold unless it ends before; nil if no unmounted instance
    /// lives.
    var nextLeakDeadline: Instant? {
        let first = state.withLock { state in
            state.residents.values.compactMap { $0.isReported ? nil : $0.unmountedAt }.min()
        }
        return first?.advanced(by: leakThreshold)
    }

    /// An instance that was unmounted at this time or before has outlived the threshold.
    private var deadline: Instant { clock.now.advanced(by: .zero - leakThreshold) }

    /// The counts of all component types, in the order of their registration.
    var rows: [CensusRow] {
        let deadline = deadline
        return state.withLock { $0.rows(suspectingUnmountedBefore: deadline) }
    }

    /// The lifetimes of ended components of each type, in seconds.
    var endedLifetimes: [ComponentDescriptor: ExponentialHistogramData] {
        state.withLock { $0.tallies.mapValues(\.lifetimes) }.mapValues { $0?.data ?? .empty }
    }

    /// The numbers of at most `limit` instances that should have ended long ago, the lowest numbers first.
    func suspects(_ limit: Int) -> [(id: UInt64, component: ComponentDescriptor)] {
        let deadline = deadline
        let found = state.withLock { $0.suspects(unmountedBefore: deadline) }
        return Array(found.sorted { $0.id < $1.id }.prefix(limit))
    }

    func collect() -> [CollectedFamily] {
        var families = CensusFamilies(detail)
        for row in rows { families.add(row) }
        return families.all
    }
}

extension ComponentCensus.Tally {
    /// Counts an instance that has ended, whose lifetime `histogram` records.
    fileprivate mutating func ended(after nanoseconds: Int64, _ histogram: ExponentialHistogram) {
        destroyed += 1
        longest = max(longest, nanoseconds)
        lifetimes = histogram
    }
}

extension ComponentCensus.State {
    mutating func add(_ component: ComponentDescriptor, module: String, lifetimes: ExponentialHistogram?) {
        guard tallies[component] == nil else { return }
        components.append(component)
        tallies[component] = ComponentCensus.Tally(module: module, lifetimes: lifetimes)
    }

    /// Counts a created instance. An orchestrator that starts again is not counted again.
    mutating func created(_ instance: ComponentInstance) {
        if residents[instance.id] == nil { tallies[instance.component]?.created += 1 }
        residents[instance.id] = ComponentCensus.Resident(component: instance.component, outlivesShutdown: isShutDown)
    }

    mutating func shutDown(at time: Instant) {
        isShutDown = true
        for (id, resident) in residents where resident.component.kind != .orchestrator {
            residents[id]?.outlivesShutdown = true
            if resident.unmountedAt == nil { residents[id]?.unmountedAt = time }
        }
    }

    func rows(suspectingUnmountedBefore deadline: Instant) -> [CensusRow] {
        var suspects: [ComponentDescriptor: Int] = [:]
        for resident in residents.values where isSuspect(resident, deadline) {
            suspects[resident.component, default: 0] += 1
        }
        return components.compactMap { component in
            tallies[component].map { tally in
                CensusRow(
                    component: component,
                    module: tally.module,
                    longestLifetime: tally.longest,
                    created: tally.created,
                    destroyed: tally.destroyed,
                    leakSuspects: suspects[component, default: 0]
                )
            }
        }
    }

    func suspects(unmountedBefore deadline: Instant) -> [(id: UInt64, component: ComponentDescriptor)] {
        residents.filter { isSuspect($0.value, deadline) }.map { ($0.key, $0.value.component) }
    }

    /// Removes an instance that has ended.
    ///
    /// - Parameter deadline: An instance that was unmounted at this time or before has ended late; nil if none ends
    ///   late.
    mutating func end(_ id: UInt64, unmountedBefore deadline: Instant?) {
        guard let resident = residents.removeValue(forKey: id), !resident.isReported, let deadline,
            let unmountedAt = resident.unmountedAt, unmountedAt <= deadline
        else { return }
        endedLate[resident.component, default: 0] += 1
    }

    /// Returns the new leaks and marks them as reported.
    mutating func newLeaks(unmountedBefore deadline: Instant) -> [ComponentCensus.Leak] {
        var found = endedLate
        var suspects = endedLate
        endedLate = [:]
        for (id, resident) in residents {
            guard let unmountedAt = resident.unmountedAt, unmountedAt <= deadline else { continue }
            suspects[resident.component, default: 0] += 1
            guard !resident.isReported else { continue }
            found[resident.component, default: 0] += 1
            residents[id]?.isReported = true
        }
        return components.compactMap { component in
            found[component].map {
                ComponentCensus.Leak(component: component, found: $0, suspects: suspects[component] ?? $0)
            }
        }
    }

    /// The orchestrator itself is not suspected: it belongs to the application, which may keep it.
    private func isSuspect(_ resident: ComponentCensus.Resident, _ deadline: Instant) -> Bool {
        if resident.outlivesShutdown, resident.component.kind != .orchestrator { return true }
        guard let unmountedAt = resident.unmountedAt else { return false }
        return unmountedAt <= deadline
    }
}
