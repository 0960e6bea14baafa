// SPDX-License-Identifier: Apache-2.0

/// A reading of one thermal zone, in degrees Celsius.
struct ThermalZone: Hashable, Sendable {
    /// A temperature at which the kernel acts.
    struct Trip: Hashable, Sendable {
        /// What the kernel does there. Trip points that only start a fan do not matter.
        enum Kind: String, Sendable {
            case passive
            case hot
            case critical
        }

        var kind: Kind
        var temperature: Double
        var hysteresis: Double = 0
    }

    /// The name of its folder.
    var name: String
    /// Nil if the sensor did not answer, or with nonsense.
    var temperature: Double?
    var trips: [Trip]

    /// The zones below a folder of sysfs. A zone with missing or invalid files has no temperature or no trip points.
    ///
    /// - Throws: ``SystemCallError`` if the folder cannot be listed.
    static func all(in root: String) throws -> [ThermalZone] {
        try SmallFile.names(in: root).filter { $0.hasPrefix("thermal_zone") }.map { name in
            let folder = "\(root)/\(name)"
            return ThermalZone(
                name: name,
                temperature: degrees("\(folder)/temp", in: -100...200),
                trips: isEnabled(folder) ? trips(in: folder) : []
            )
        }
    }

    /// A zone that user space or firmware controls has the mode `disabled`. Old kernels have no such file.
    private static func isEnabled(_ folder: String) -> Bool {
        SmallFile.line("\(folder)/mode") != "disabled"
    }

    /// The trip points that matter. Firmware marks unused ones with 0 or a temperature below absolute zero.
    private static func trips(in folder: String) -> [Trip] {
        (0..<32).compactMap { index in
            guard let kind = SmallFile.line("\(folder)/trip_point_\(index)_type").flatMap(Trip.Kind.init),
                let temperature = degrees("\(folder)/trip_point_\(index)_temp", in: 1...200)
            else { return nil }
            let hysteresis = degrees("\(folder)/trip_point_\(index)_hyst", in: 0...100) ?? 0
            return Trip(kind: kind, temperature: temperature, hysteresis: hysteresis)
        }
    }

    /// A number of thousandths of a degree; nil if it is outside the range.
    private static func degrees(_ path: String, in range: ClosedRange<Double>) -> Double? {
        guard let thousandths = SmallFile.number(path) else { return nil }
        let degrees = Double(thousandths) / 1_000
        return range.contains(degrees) ? degrees : nil
    }
}
