// SPDX-License-Identifier: Apache-2.0

/// A reading of an adapter or a battery.
struct PowerSupply: Hashable, Sendable {
    /// The flow of energy that it reports.
    enum Flow: Sendable {
        /// An adapter is connected, or a battery is charged or full.
        case incoming
        /// A battery discharges.
        case outgoing
        /// Nothing: an adapter is not connected, or a battery does not know.
        case unknown
    }

    var flow: Flow
    /// Whether it is a battery of the machine, or a supply that bridges an outage.
    var isBattery: Bool
    /// The percentage of charge of a battery; nil if it does not report it.
    var charge: Double?
    /// The energy of the full battery in microwatt hours; nil if it does not report it.
    var size: Double?

    /// The supplies below a folder of sysfs. Those of other devices, or with an unknown type, are left out.
    ///
    /// - Throws: ``SystemCallError`` if the folder cannot be listed.
    static func all(in root: String) throws -> [PowerSupply] {
        try SmallFile.names(in: root).compactMap { name in
            let folder = "\(root)/\(name)"
            // The battery of a mouse or a headset.
            guard SmallFile.line("\(folder)/scope") != "Device" else { return nil }
            switch SmallFile.line("\(folder)/type") {
            case "Battery", "UPS": return battery(in: folder)
            case "Mains", "USB", "Wireless": return adapter(in: folder)
            default: return nil
            }
        }
    }

    /// The file `online` has 1 for a fixed and 2 for a programmable supply.
    private static func adapter(in folder: String) -> PowerSupply {
        let isOnline = (SmallFile.number("\(folder)/online") ?? 0) > 0
        return PowerSupply(flow: isOnline ? .incoming : .unknown, isBattery: false)
    }

    /// Nil if no battery is in the slot.
    private static func battery(in folder: String) -> PowerSupply? {
        guard SmallFile.number("\(folder)/present") != 0 else { return nil }
        return PowerSupply(
            flow: flow(of: SmallFile.line("\(folder)/status")),
            isBattery: true,
            charge: charge(in: folder),
            size: amount("energy_full", in: folder)
        )
    }

    private static func flow(of status: String?) -> Flow {
        switch status {
        case "Charging", "Full", "Not charging": .incoming
        case "Discharging": .outgoing
        default: .unknown
        }
    }

    /// The file `capacity`, or the share of what the battery holds, or the middle of a coarse level.
    private static func charge(in folder: String) -> Double? {
        if let percent = SmallFile.number("\(folder)/capacity"), (0...100).contains(percent) { return Double(percent) }
        for unit in ["energy", "charge"] {
            if let now = amount("\(unit)_now", in: folder), let full = amount("\(unit)_full", in: folder), full > 0 {
                return min(100, now / full * 100)
            }
        }
        return SmallFile.line("\(folder)/capacity_level").flatMap { levels[$0] }
    }

    private static let levels = ["Critical": 5.0, "Low": 15, "Normal": 50, "High": 80, "Full": 100]

    private static func amount(_ file: String, in folder: String) -> Double? {
        guard let amount = SmallFile.number("\(folder)/\(file)"), amount >= 0 else { return nil }
        return Double(amount)
    }
}
