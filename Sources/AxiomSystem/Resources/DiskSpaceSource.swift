// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reports how short the free space of a file system runs, as `.pressure(.storage, …)`.
///
/// The space is read with statvfs(2) by a period. It counts what users without privileges may still write.
///
/// ```swift
/// let source = try DiskSpaceSource("/var/lib/shop", warning: .share(0.1), critical: .bytes(100_000_000))
/// for try await event in source.events() { print(event) }
/// ```
public struct DiskSpaceSource: ChangeSource {
    /// How much must be free.
    public enum Minimum: Sendable, Hashable {
        /// A number of bytes.
        case bytes(Int64)
        /// A share of the size, from 0 to 1. It applies to the number of files that can be created too.
        case share(Double)
    }

    private let path: String
    private let period: Duration
    private let clock: TimeSource
    private let machine: DiskSpaceMachine
    private var read: @Sendable (String) throws -> DiskSpace = DiskSpace.init(of:)

    /// Creates a source for the file system that contains `path`.
    ///
    /// - Parameters:
    ///   - path: An absolute path of a file or folder that exists.
    ///   - warning: Below this free space the level is `warning`. By default 10 %.
    ///   - critical: Below this free space the level is `critical`. By default 5 %.
    ///   - hysteresis: The share of the size that must become free beyond a minimum before its level ends, from 0 to 0.5.
    ///   - period: The time between two readings, from 100 ms to a day.
    ///   - clock: The clock of the period.
    /// - Throws: `CapabilityError` with the name of the parameter that is outside its range.
    public init(
        _ path: String,
        warning: Minimum = .share(0.1),
        critical: Minimum = .share(0.05),
        hysteresis: Double = 0.01,
        period: Duration = .seconds(10),
        clock: TimeSource = .live
    ) throws {
        try SourceParameter.check(path: "path", path)
        try warning.check("warning")
        try critical.check("critical")
        try Minimum.check(critical, isBelow: warning)
        try SourceParameter.check("hysteresis", hysteresis, in: 0...0.5)
        try SourceParameter.check("period", period, in: SourceParameter.periods)
        (self.path, self.period, self.clock) = (path, period, clock)
        machine = DiskSpaceMachine(warning: warning, critical: critical, hysteresis: hysteresis)
    }

    /// The source with other readings, for tests.
    func reading(_ read: @escaping @Sendable (String) throws -> DiskSpace) -> Self {
        var source = self
        source.read = read
        return source
    }

    /// Begins to listen.
    ///
    /// The sequence throws if the first reading fails, or three readings in a row.
    public func events() -> SystemEvents {
        SystemEvents { [self] in
            PollingListener(machine, every: period, on: clock) { [read, path] in try read(path) }
        }
    }
}

extension DiskSpaceSource.Minimum {
    fileprivate func check(_ name: String) throws {
        switch self {
        case .bytes(let bytes): try SourceParameter.check(name, bytes, in: 0...(1 << 60))
        case .share(let share): try SourceParameter.check(name, share, in: 0...1)
        }
    }

    /// A minimum in bytes and one in shares cannot be compared before the size is known.
    fileprivate static func check(_ critical: Self, isBelow warning: Self) throws {
        switch (critical, warning) {
        case (.bytes(let critical), .bytes(let warning)):
            try SourceParameter.check("critical", critical, in: 0...warning)
        case (.share(let critical), .share(let warning)):
            try SourceParameter.check("critical", critical, in: 0...warning)
        default: break
        }
    }

    /// The minimum of a file system with this size.
    fileprivate func bytes(of size: Double) -> Double {
        switch self {
        case .bytes(let bytes): Double(bytes)
        case .share(let share): share * size
        }
    }
}

/// What a file system has, and what of it is free.
struct DiskSpace: Hashable, Sendable {
    var bytes: Double
    var freeBytes: Double
    /// 0 if the file system has no fixed number of files.
    var files: Double = 0
    var freeFiles: Double = 0
}

extension DiskSpace {
    /// Reads the file system that contains `path`.
    ///
    /// - Throws: ``SystemCallError``, also for a file system without blocks, such as /proc.
    init(of path: String) throws {
        var status = statvfs()
        while statvfs(path, &status) != 0 {
            guard errno == EINTR else { throw SystemCallError(subject: path, code: errno) }
        }
        guard status.f_blocks > 0 else { throw SystemCallError(subject: path, code: ENOTSUP) }
        let unit = Double(status.f_frsize > 0 ? status.f_frsize : status.f_bsize)
        self.init(
            bytes: Double(status.f_blocks) * unit,
            // Some file systems report a negative number when the reserve is in use.
            freeBytes: status.f_bavail > status.f_blocks ? 0 : Double(status.f_bavail) * unit,
            files: Double(status.f_files),
            freeFiles: status.f_favail > status.f_files ? 0 : Double(status.f_favail)
        )
    }
}

/// Turns readings of space into events.
struct DiskSpaceMachine: ReadingMachine {
    private let warning: DiskSpaceSource.Minimum
    private let critical: DiskSpaceSource.Minimum
    /// A share of the size.
    private let hysteresis: Double
    private var bytesLevel = PressureLevel.none
    private var filesLevel = PressureLevel.none
    private var filter = EventFilter()

    init(warning: DiskSpaceSource.Minimum, critical: DiskSpaceSource.Minimum, hysteresis: Double) {
        (self.warning, self.critical, self.hysteresis) = (warning, critical, hysteresis)
    }

    mutating func take(_ space: DiskSpace) -> CapabilityEvent? {
        bytesLevel = level(free: space.freeBytes, of: space.bytes, after: bytesLevel)
        if case .share = warning, case .share = critical, space.files > 0 {
            filesLevel = level(free: space.freeFiles, of: space.files, after: filesLevel)
        }
        return filter.pass(.pressure(.storage, max(bytesLevel, filesLevel)))
    }

    /// Less free space is worse, so the values are negative.
    private func level(free: Double, of size: Double, after previous: PressureLevel) -> PressureLevel {
        let thresholds = LevelThresholds(
            warning: -warning.bytes(of: size),
            critical: -critical.bytes(of: size),
            hysteresis: hysteresis * size
        )
        return thresholds.level(of: -free, after: previous)
    }
}
