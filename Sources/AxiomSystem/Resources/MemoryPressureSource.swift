// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import Axiom
public import AxiomBase

/// Reports how short main memory runs, as `.pressure(.memory, …)`.
///
/// The kernel measures the share of time in which tasks wait for memory (pressure stall information, PSI). Where it
/// allows triggers, it wakes the source when a share is exceeded, and nothing runs before. Elsewhere the source reads
/// the averages by a period. ``method()`` tells which of the two applies.
///
/// ```swift
/// let source = try MemoryPressureSource()
/// for try await case .pressure(.memory, let level) in source.events() where level >= .warning {
///     await cache.removeAll()
/// }
/// ```
public struct MemoryPressureSource: ChangeSource {
    /// How a source observes the pressure.
    public enum Method: Sendable, Hashable {
        /// The kernel wakes the source.
        case triggers
        /// The source reads averages by its period. The reason is why triggers cannot be used.
        case averages(reason: String)
    }

    let files: MemoryPressureFiles
    let clock: TimeSource
    /// The time between two readings of averages, and the shortest time for which a level lasts.
    let period: Duration
    let machine: MemoryPressureMachine

    /// Creates a source for the whole machine.
    ///
    /// - Parameters:
    ///   - root: The folder of the proc file system.
    ///   - warning: The share of time in which some task waits for memory that is a warning, from 0.01 to 1.
    ///   - critical: The share of time in which all tasks wait that is critical, from 0.01 to 1.
    ///   - period: How long a level lasts at least, and the time between two readings of averages, from 100 ms to a day.
    ///   - clock: The clock of the period.
    /// - Throws: `CapabilityError` with the name of the parameter that is outside its range.
    public init(
        root: String = "/proc",
        warning: Double = 0.075,
        critical: Double = 0.05,
        period: Duration = .seconds(10),
        clock: TimeSource = .live
    ) throws {
        try SourceParameter.check(path: "root", root)
        let files = MemoryPressureFiles(pressure: root + "/pressure/memory", events: nil)
        try self.init(files, warning, critical, period, clock)
    }

    /// Creates a source for the tasks of one cgroup (version 2).
    ///
    /// It also reports a warning when the cgroup exceeds its memory.high, and critical pressure when it reaches its
    /// memory.max, as soon as the kernel counts that in memory.events.
    ///
    /// - Parameters:
    ///   - cgroup: The folder of the cgroup, such as `/sys/fs/cgroup/system.slice/shop.service`.
    ///   - warning: The share of time in which some task waits for memory that is a warning, from 0.01 to 1.
    ///   - critical: The share of time in which all tasks wait that is critical, from 0.01 to 1.
    ///   - period: How long a level lasts at least, and the time between two readings of averages, from 100 ms to a day.
    ///   - clock: The clock of the period.
    /// - Throws: `CapabilityError` with the name of the parameter that is outside its range.
    public init(
        cgroup: String,
        warning: Double = 0.075,
        critical: Double = 0.05,
        period: Duration = .seconds(10),
        clock: TimeSource = .live
    ) throws {
        try SourceParameter.check(path: "cgroup", cgroup)
        let files = MemoryPressureFiles(pressure: cgroup + "/memory.pressure", events: cgroup + "/memory.events")
        try self.init(files, warning, critical, period, clock)
    }

    private init(
        _ files: MemoryPressureFiles,
        _ warning: Double,
        _ critical: Double,
        _ period: Duration,
        _ clock: TimeSource
    ) throws {
        try SourceParameter.check("warning", warning, in: 0.01...1)
        try SourceParameter.check("critical", critical, in: 0.01...1)
        try SourceParameter.check("period", period, in: SourceParameter.periods)
        (self.files, self.period, self.clock) = (files, period, clock)
        machine = MemoryPressureMachine(warning: warning, critical: critical, hold: period)
    }

    /// How listeners observe the pressure now. Opens the files and closes them again.
    ///
    /// - Throws: `CapabilityError` if the kernel has no pressure stall information.
    public func method() async throws -> Method {
        let opened = try await BlockingCall.run { [files, machine] in try files.open(machine) }
        return opened.method
    }

    /// Begins to listen.
    ///
    /// The sequence throws if the kernel has no pressure stall information, or three readings fail in a row.
    public func events() -> SystemEvents {
        SystemEvents { [self] in MemoryPressureListener(self) }
    }
}
#endif
