// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// How much of a capability works now, and why.
public struct CapabilityReport: Sendable, Hashable {
    /// The level.
    public let level: DegradationLevel
    /// The known availability; nil if it was not checked since it may have changed.
    public let isAvailable: Bool?
    /// Why the level is not ``DegradationLevel/full``, as a clause for people; empty if there is nothing to say.
    public let reason: String
}

/// Accepts a capability's reports of how much of it works. A part of its scope that the capability may keep.
///
/// ```swift
/// init(_ scope: borrowing CapabilityScope) {
///     identity = scope.identity
///     status = scope.status
/// }
/// func linkBecameSlow() { status.report(.limited, because: "the link is slow") }
/// func linkWentAway() { status.report(.minimal, isAvailable: false, because: "there is no link") }
/// ```
public struct CapabilityStatus: Sendable {
    private let send: @Sendable (CapabilityReport) -> Void

    init(_ send: @escaping @Sendable (CapabilityReport) -> Void) { self.send = send }

    /// Reports the current level. ``CapabilityRef/degradationLevel`` returns it immediately, and
    /// ``CapabilityRef/levels`` delivers it. The levels of dependents follow as soon as the main actor is free.
    ///
    /// May be called from any thread, also inside ``Capability/initialize()``. After the first report,
    /// ``Capability/degradationLevel`` is not read any more. Reports of a replaced instance have no effect. Costs one
    /// lock, and a task if the level differs from the last report.
    ///
    /// - Parameters:
    ///   - level: The level.
    ///   - isAvailable: The answer to later availability checks, until ``CapabilityRef/invalidate()``. Nil leaves the
    ///     known answer, except that a capability at ``DegradationLevel/unavailable`` is not available until another
    ///     level is reported.
    ///   - reason: Why, as a clause for people such as `the link is slow`.
    public func report(_ level: DegradationLevel, isAvailable: Bool? = nil, because reason: String = "") {
        send(
            CapabilityReport(
                level: level,
                isAvailable: isAvailable ?? (level == .unavailable ? false : nil),
                reason: reason
            )
        )
    }
}

/// The level of a capability across its instances.
struct CapabilityLevel {
    /// The instance in the slot; nil while there is none.
    private(set) var occupant: UInt64?
    /// The level that was last read from the instance.
    private var said = DegradationLevel.full
    /// The last report and its instance, which may not be in the slot yet.
    private var report: (instance: UInt64, report: CapabilityReport)?
    /// The level that the capabilities below allow.
    var inherited = DegradationLevel.full
    /// The level that permissions, services and resources allow, and the reason.
    var allowed = (level: DegradationLevel.full, reason: "")

    /// The report of the instance in the slot; nil if it did not report.
    var occupantReport: CapabilityReport? {
        guard let occupant, let report, report.instance == occupant else { return nil }
        return report.report
    }

    /// The instance's own level: the one it reported, or else the one that was read.
    var own: DegradationLevel {
        guard occupant != nil else { return .unavailable }
        return occupantReport?.level ?? said
    }

    /// The level without regard to the capabilities below.
    var passedOn: DegradationLevel { max(own, allowed.level) }

    var present: DegradationLevel { occupant == nil ? .unavailable : max(passedOn, inherited) }

    /// The reason for ``present`` of the instance in the slot.
    var reason: String {
        guard present > .full else { return occupantReport?.reason ?? "" }
        if own == present { return occupantReport?.reason ?? "" }
        return allowed.level == present ? allowed.reason : "a capability that it depends on does not fully work"
    }

    mutating func occupied(by instance: UInt64, saying level: DegradationLevel) {
        (occupant, said) = (instance, level)
    }

    mutating func vacated() { occupant = nil }

    mutating func said(_ level: DegradationLevel, by instance: UInt64) {
        if instance == occupant { said = level }
    }

    /// Ignores a replaced instance, which is older than the one in the slot or than one that has reported already.
    mutating func reported(_ report: CapabilityReport, by instance: UInt64) {
        if let occupant, instance < occupant { return }
        if let last = self.report, instance < last.instance { return }
        self.report = (instance, report)
    }
}

/// The level of a capability over time: first now, then after every change.
///
/// ```swift
/// for await level in network.levels { store.update { $0.networkLevel = level } }
/// ```
/// Each iterator is a separate subscription. A slow subscriber gets only the newest level: levels that were replaced
/// before it took them are left out, and so is a level equal to the one that it took last. The sequence ends when the
/// application is shut down, and when the iterating task is cancelled.
public struct CapabilityLevels: AsyncSequence, Sendable {
    /// A level.
    public typealias Element = DegradationLevel
    /// A subscription does not fail.
    public typealias Failure = Never

    private let levels: Broadcast<DegradationLevel>

    init(_ levels: Broadcast<DegradationLevel>) { self.levels = levels }

    /// Begins a subscription.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(levels.stream()) }

    /// One subscription. Use it from one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var levels: AsyncStream<DegradationLevel>.Iterator
        private var last: DegradationLevel?

        fileprivate init(_ levels: AsyncStream<DegradationLevel>) {
            self.levels = levels.makeAsyncIterator()
        }

        /// The newest level if it differs from the last one; waits for it.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> DegradationLevel? {
            while !Task.isCancelled, let level = await levels.next(isolation: actor) {
                guard level != last else { continue }
                last = level
                return level
            }
            return nil
        }
    }
}
