// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Turns triggers, averages and counters of memory pressure into events.
///
/// A trigger, or a counter that rose, raises the level at once. Averages lower it, and raise it where there are no
/// triggers. No level ends earlier than `hold` after it was last raised.
struct MemoryPressureMachine: Sendable {
    /// The share of time in which some task waits from which on the level is at least `warning`.
    let warning: Double
    /// The share of time in which all tasks wait from which on the level is `critical`.
    let critical: Double
    /// How long a level lasts at least.
    let hold: Duration

    private(set) var level = PressureLevel.none
    private var raised: (warning: Instant?, critical: Instant?)
    private var events: MemoryEvents?
    private var filter = EventFilter()

    init(warning: Double, critical: Double, hold: Duration) {
        (self.warning, self.critical, self.hold) = (warning, critical, hold)
        raised = (nil, nil)
    }

    /// A trigger of `level` fired.
    mutating func raise(_ level: PressureLevel, at now: Instant) -> CapabilityEvent? {
        if level >= .warning { raised.warning = now }
        if level == .critical { raised.critical = now }
        return report(max(self.level, level))
    }

    /// Takes a reading of averages. A level ends when its average is below half of its threshold.
    mutating func take(_ averages: PressureAverages, at now: Instant) -> CapabilityEvent? {
        let isCritical =
            isHeld(raised.critical, at: now)
            || LevelThresholds.holds(
                averages.full,
                at: critical,
                hysteresis: critical / 2,
                wasReached: level == .critical
            )
        let isWarning =
            isHeld(raised.warning, at: now)
            || LevelThresholds.holds(averages.some, at: warning, hysteresis: warning / 2, wasReached: level >= .warning)
        if averages.full >= critical { raised.critical = now }
        if averages.some >= warning { raised.warning = now }
        return report(isCritical ? .critical : isWarning ? .warning : .none)
    }

    /// Takes a reading of counters. The first one, and one that fell because the cgroup is new, raises nothing.
    mutating func take(_ new: MemoryEvents, at now: Instant) -> CapabilityEvent? {
        defer { events = new }
        guard let old = events, new.high >= old.high, new.limit >= old.limit else { return nil }
        if new.limit > old.limit { return raise(.critical, at: now) }
        if new.high > old.high { return raise(.warning, at: now) }
        return nil
    }

    private func isHeld(_ raised: Instant?, at now: Instant) -> Bool {
        raised.map { now < $0.advanced(by: hold) } ?? false
    }

    private mutating func report(_ level: PressureLevel) -> CapabilityEvent? {
        self.level = level
        return filter.pass(.pressure(.memory, level))
    }
}
