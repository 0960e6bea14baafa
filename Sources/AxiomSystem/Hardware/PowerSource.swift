// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// Reports how little charge is left in the machine's batteries, as `.pressure(.power, …)`.
///
/// The level is `none` while no battery discharges. Otherwise it follows the mean charge of the machine's batteries,
/// weighted by their size if they report it. Batteries of mice and headsets do not count.
///
/// This source was tested on recorded trees of sysfs only, never on hardware.
public struct PowerSource: ChangeSource {
    private let root: String
    private let period: Duration
    private let clock: TimeSource
    private let machine: PowerMachine

    /// Creates a source for all batteries of the machine.
    ///
    /// - Parameters:
    ///   - root: The folder that contains a folder for each adapter and battery.
    ///   - warning: The percentage of charge at which the level becomes `warning`, from 1 to 99.
    ///   - critical: The percentage of charge at which the level becomes `critical`, from 1 to `warning`.
    ///   - hysteresis: The percentage by which the charge must rise above a threshold to end its level, from 0 to 20.
    ///   - period: The time between two readings, from 100 ms to a day.
    ///   - clock: The clock of the period.
    /// - Throws: `CapabilityError` with the name of the parameter that is outside its range.
    public init(
        root: String = "/sys/class/power_supply",
        warning: Double = 20,
        critical: Double = 8,
        hysteresis: Double = 3,
        period: Duration = .seconds(30),
        clock: TimeSource = .live
    ) throws {
        try SourceParameter.check(path: "root", root)
        try SourceParameter.check("warning", warning, in: 1...99)
        try SourceParameter.check("critical", critical, in: 1...warning)
        try SourceParameter.check("hysteresis", hysteresis, in: 0...20)
        try SourceParameter.check("period", period, in: SourceParameter.periods)
        (self.root, self.period, self.clock) = (root, period, clock)
        machine = PowerMachine(warning: warning, critical: critical, hysteresis: hysteresis)
    }

    /// Begins to listen. The sequence throws if the root folder does not exist, or three readings fail in a row.
    public func events() -> SystemEvents {
        SystemEvents { [self] in
            PollingListener(machine, every: period, on: clock) { [root] in try PowerSupply.all(in: root) }
        }
    }
}

/// Turns readings of power supplies into events.
struct PowerMachine: ReadingMachine {
    /// A charge and its thresholds as negative percentages, because less is worse.
    private let thresholds: LevelThresholds
    private var level = PressureLevel.none
    private var filter = EventFilter()

    init(warning: Double, critical: Double, hysteresis: Double) {
        thresholds = LevelThresholds(warning: -warning, critical: -critical, hysteresis: hysteresis)
    }

    mutating func take(_ supplies: [PowerSupply]) -> CapabilityEvent? {
        if !Self.isOnBattery(supplies) {
            level = .none
        } else if let charge = Self.charge(of: supplies) {
            level = thresholds.level(of: -charge, after: level)
        }
        return filter.pass(.pressure(.power, level))
    }

    /// Whether the charge falls: a battery discharges, for example because its adapter is too weak, or no adapter and no
    /// battery reports external energy. Of two batteries, the unused one reports that it does not charge.
    static func isOnBattery(_ supplies: [PowerSupply]) -> Bool {
        guard supplies.contains(where: \.isBattery) else { return false }
        return supplies.contains { $0.flow == .outgoing } || !supplies.contains { $0.flow == .incoming }
    }

    /// The percentage of charge of all batteries; nil if none reports it. The level then stays.
    static func charge(of supplies: [PowerSupply]) -> Double? {
        let batteries = supplies.compactMap { supply in supply.charge.map { (charge: $0, size: supply.size) } }
        guard !batteries.isEmpty else { return nil }
        // Sizes in different units, or unknown ones, cannot be compared.
        let sizes = batteries.compactMap(\.size)
        guard sizes.count == batteries.count, sizes.reduce(0, +) > 0 else {
            return batteries.map(\.charge).reduce(0, +) / Double(batteries.count)
        }
        return zip(batteries, sizes).map { $0.charge * $1 }.reduce(0, +) / sizes.reduce(0, +)
    }
}
