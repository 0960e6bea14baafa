// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics

/// The last hour of a level, such as the size of a state, and whether it grows. At most 0.7 kB.
///
/// A value is the least of half a minute, so that what is released within that time is no growth. A level grows if for 5,
/// 10, 15, 20 or 30 minutes, and half a minute later again,
/// - it grew by a fifth, and by an absolute least; within 30 minutes, because the wave of a day is slower.
/// - at least half of that is above all values before: a cache that fills again was as large already.
/// - Student's t of the changes is at least 6. A level that wanders without a direction (a random walk) reaches that with
///   probability 10⁻⁴ in 5 minutes, and 5·10⁻⁶ in 10 minutes and more.
/// - it does not level off: the last third grew at least 0.8 times as much as the first one in 5 minutes, 0.65 times in
///   more, and that by two standard deviations of the changes. What approaches a level with the time constant τ grows
///   exp(-2w / 3τ) times as much, which is less for each τ below 15 minutes. The first third grew 0.4 times as much as the
///   last one: the growth is as old as the window. A step is in one third alone.
/// - of all pairs of values the later one is larger with a balance (Kendall's τ) of 0.8; for a single step that is 0.55.
///
/// A saw with an exact period that is nearly a multiple of the ten seconds between samples may look like growth.
package struct LevelTrend: Sendable {
    /// In steps of half a minute.
    private static let windows = [10, 20, 30, 40, 60]
    static let capacity = 120
    static let interval = 30.0

    private let least: Float
    private var values: [Float] = []
    private var lowest = Float.infinity
    private var begun = 0.0
    package private(set) var alarm = TrendAlarm()
    /// The level before it grew.
    package private(set) var from: Float = 0

    /// - Parameter least: The least growth that matters, in the unit of the level.
    package init(least: Double) { self.least = Float(least) }

    /// The latest level.
    package var level: Float { values.last ?? 0 }

    /// For how many seconds it has grown.
    package func age(at now: Double) -> Double { now - begun }

    /// Adds the level of this moment; `closes` if half a minute ends.
    package mutating func add(_ level: Double, at now: Double, closes: Bool) {
        lowest = min(lowest, Float(level))
        guard closes else { return }
        values = values.suffix(Self.capacity - 1) + [lowest]
        lowest = .infinity
        let steps = Self.growth(of: values, least: least)
        if alarm.isQuiet, let steps {
            from = values[values.count - 1 - steps]
            begun = now - Double(steps) * Self.interval
        }
        alarm.judge(at: now, begins: steps != nil, lasts: isRising(at: now))
    }

    /// Whether it grew in the last two minutes, at a quarter of its rate at least.
    private func isRising(at now: Double) -> Bool {
        guard values.count > 4, let last = values.last else { return false }
        let rate = (last - from) / Float(max(1, age(at: now) / Self.interval))
        return rate > 0 && last - values[values.count - 5] >= rate
    }

    /// The most steps for which the last values have grown; nil if they have not.
    package static func growth(of values: [Float], least: Float) -> Int? {
        windows.last { steps in
            guard values.count > steps else { return false }
            return grows(values.suffix(steps + 1), above: values.dropLast(steps + 1).max(), least)
        }
    }

    private static func grows(_ window: ArraySlice<Float>, above earlier: Float?, _ least: Float) -> Bool {
        let (values, steps) = (window.map { Double($0) }, window.count - 1)
        let (first, last, third) = (values[0], values[steps], steps / 3)
        let growth = last - first
        guard growth >= max(Double(least), first / 5), last - max(first, Double(earlier ?? 0)) >= growth / 2 else {
            return false
        }
        let changes = zip(values.dropFirst(), values).map { $0 - $1 }
        guard let deviation = try? Statistics.standardDeviation(changes),
            growth >= 6 * deviation * Double(steps).squareRoot()
        else { return false }
        let (early, late) = (values[third] - first, last - values[steps - third])
        let ratio = steps == windows[0] ? 0.8 : 0.65
        let noise = 2 * deviation * (Double(third) * (1 + ratio * ratio)).squareRoot()
        guard late - ratio * early >= noise, early >= 0.4 * late else { return false }
        var balance = 0
        for later in 1...steps {
            for value in values[..<later] { balance += value < values[later] ? 1 : value > values[later] ? -1 : 0 }
        }
        return Double(balance) >= 0.4 * Double(steps * (steps + 1))
    }
}
