// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// Reports how near the machine is to a temperature at which it is slowed down or turned off, as `.pressure(.thermal, …)`.
///
/// The temperatures and trip points of all thermal zones are read from sysfs periodically. A machine without zones, such
/// as most virtual ones, reports `none` and nothing else.
///
/// | the temperature has reached | level |
/// | --- | --- |
/// | a passive trip point, at which the kernel slows the processor down | `warning` |
/// | a hot trip point, or 5 °C below a critical one, at which the kernel turns the machine off | `critical` |
/// | 5 °C below that, if the zone has no passive trip point | `warning` |
///
/// This source was tested on recorded trees of sysfs only, never on hardware.
public struct ThermalSource: ChangeSource {
    private let root: String
    private let period: Duration
    private let clock: TimeSource
    private let machine: ThermalMachine

    /// Creates a source for all zones of the machine.
    ///
    /// - Parameters:
    ///   - root: The folder that contains the folders `thermal_zone0`, `thermal_zone1`, and so on.
    ///   - hysteresis: How many degrees Celsius a zone must cool down below a threshold to end its level, from 0 to 20.
    ///     A larger hysteresis of the zone itself takes precedence.
    ///   - period: The time between two readings, from 100 ms to a day.
    ///   - clock: The clock of the period.
    /// - Throws: `CapabilityError` with the name of the parameter that is outside its range.
    public init(
        root: String = "/sys/class/thermal",
        hysteresis: Double = 3,
        period: Duration = .seconds(5),
        clock: TimeSource = .live
    ) throws {
        try SourceParameter.check(path: "root", root)
        try SourceParameter.check("hysteresis", hysteresis, in: 0...20)
        try SourceParameter.check("period", period, in: SourceParameter.periods)
        (self.root, self.period, self.clock) = (root, period, clock)
        machine = ThermalMachine(hysteresis: hysteresis)
    }

    /// Begins to listen. The sequence throws if the root folder does not exist, or three readings fail in a row.
    public func events() -> SystemEvents {
        SystemEvents { [self] in
            PollingListener(machine, every: period, on: clock) { [root] in try ThermalZone.all(in: root) }
        }
    }
}

/// Turns readings of zones into events.
struct ThermalMachine: ReadingMachine {
    /// Degrees between a critical trip point and the critical level.
    static let margin = 5.0

    private let hysteresis: Double
    private var levels: [String: PressureLevel] = [:]
    private var filter = EventFilter()

    init(hysteresis: Double) {
        self.hysteresis = hysteresis
    }

    /// A zone whose sensor did not answer keeps its level.
    mutating func take(_ zones: [ThermalZone]) -> CapabilityEvent? {
        let known = Set(zones.map(\.name))
        levels = levels.filter { known.contains($0.key) }
        for zone in zones {
            guard let thresholds = Self.thresholds(of: zone, hysteresis: hysteresis) else { continue }
            guard let temperature = zone.temperature else { continue }
            levels[zone.name] = thresholds.level(of: temperature, after: levels[zone.name] ?? .none)
        }
        return filter.pass(.pressure(.thermal, levels.values.max() ?? .none))
    }

    /// The temperatures at which the levels of a zone begin; nil for a zone without trip points that matter.
    static func thresholds(of zone: ThermalZone, hysteresis: Double) -> LevelThresholds? {
        let lowest = { (kind: ThermalZone.Trip.Kind) in
            zone.trips.filter { $0.kind == kind }.map(\.temperature).min()
        }
        let passive = lowest(.passive)
        let critical = [lowest(.hot), lowest(.critical).map { $0 - margin }].compactMap(\.self).min()
        guard let end = critical ?? passive.map({ _ in .infinity }) else { return nil }
        let widest = zone.trips.map(\.hysteresis).max() ?? 0
        return LevelThresholds(
            warning: passive ?? end - margin,
            critical: end,
            hysteresis: max(hysteresis, min(widest, 20))
        )
    }
}
