// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomDashboard

/// How often the detectors of trends find something in healthy components, and how soon they find what is planted.
struct TrendScore {
    /// The hours of one healthy component.
    private static let life = 4

    let hours: Int
    let seed: UInt64

    func run() {
        let columns = ["latency", "tail", "hang", "failing", "wait", "growth", "lives", "silence"]
        print("healthy, alarms in \(hours) component-hours of each detector:")
        var sums: [String: Int] = [:]
        let groups = [CallShape.healthy, LevelShape.healthy, LifeShape.healthy]
        for (shape, group) in groups.flatMap({ group in group.map { ($0, group.count) } }) {
            let count = max(1, hours / Self.life / group)
            var alarms: [String: Int] = [:]
            for number in 0..<count {
                var life = SimulatedLife(seed: seed &+ UInt64(number) &* 7_919, shape)
                life.run(seconds: Self.life * 3_600)
                for (detector, times) in life.alarms { alarms[detector, default: 0] += times.count }
            }
            sums.merge(alarms, uniquingKeysWith: +)
            let shown = alarms.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
            print("  \(shape.name), \(count * Self.life) h: \(shown.isEmpty ? "none" : shown)")
        }
        for detector in columns {
            let count = sums[detector] ?? 0
            let (rate, bound) = (1_000 * Double(count) / Double(hours), 1_000 * Self.bound(count) / Double(hours))
            let limit = (bound * 1_000).rounded() / 1_000
            print("\(detector): \(rate) alarms in 1000 component-hours, below \(limit) with 95 % confidence")
        }
        print("planted after an hour, found within 30 minutes:")
        for shape in CallShape.planted + LevelShape.planted + LifeShape.planted { plant(shape) }
    }

    private func plant(_ shape: any TrendShape) {
        var (delays, runs) = ([Double](), 0)
        for number in 0..<200 {
            var life = SimulatedLife(seed: seed &+ UInt64(number), shape)
            life.run(seconds: 3_600 + 1_800)
            let found = life.alarms[shape.detector]?.filter { $0 > 3_600 } ?? []
            runs += 1
            if let first = found.first { delays.append(first - 3_600) }
        }
        let middle = delays.isEmpty ? "-" : "\(Int(delays.sorted()[delays.count / 2])) s"
        print("  \(shape.name): \(delays.count) of \(runs), median delay \(middle)")
    }

    /// The upper bound of the mean of a Poisson number, one-sided, with 95 % confidence (Byar's approximation).
    private static func bound(_ count: Int) -> Double {
        let next = Double(count + 1)
        let root = 1 - 1 / (9 * next) + 1.645 / (3 * next.squareRoot())
        return next * root * root * root
    }
}

/// How a component behaves.
protocol TrendShape: Sendable {
    var name: String { get }
    /// What should find it, of a planted one.
    var detector: String { get }
}

/// One component on a clock, with the detectors that the dashboard has for it.
struct SimulatedLife {
    private var source: any TrendSource
    private var (calls, waits) = (CallTrend(), CallTrend(leastCalls: 20))
    private var level: LevelTrend
    private var silence = SilenceTrend()
    private var (tail, hang, lives) = (TailTrend(), HangTrend(), LifeTrend())
    private var lasting: Set<String> = []
    /// When each detector began to find something, in seconds.
    private(set) var alarms: [String: [Double]] = [:]

    init(seed: UInt64, _ shape: any TrendShape) {
        if let shape = shape as? CallShape {
            (source, level) = (CallSource(seed: seed, shape), LevelTrend(least: 16))
        } else if let shape = shape as? LifeShape {
            (source, level) = (LifeSource(seed: seed, shape), LevelTrend(least: 16))
        } else {
            let shape = shape as? LevelShape ?? .constant
            (source, level) = (LevelSource(seed: seed, shape), LevelTrend(least: shape.least))
        }
    }

    mutating func run(seconds: Int) {
        for now in stride(from: 10.0, through: Double(seconds), by: 10) {
            let step = source.next(now)
            let minute = now.truncatingRemainder(dividingBy: 60) == 0
            let half = now.truncatingRemainder(dividingBy: 30) == 0
            if let calls = step.calls {
                self.calls.add(calls.minute, at: now, closes: minute)
                if minute { waits.add(calls.waits, at: now, closes: true) }
                silence.add(calls: calls.new, at: now, closes: minute)
                if minute { closeTail(calls.durations, now) }
                hang.add(inFlight: calls.inFlight, ended: calls.ended, longest: calls.longest, at: now)
            }
            if half, let life = step.life {
                lives.close(made: life.made, longest: life.longest, at: now) { ages in
                    Double(life.ages.count { ages.contains($0) })
                }
            }
            if let value = step.level { level.add(value, at: now, closes: half) }
            note("latency", calls.slow.since != nil, now)
            note("tail", tail.alarm.since != nil && calls.slow.since == nil, now)
            note("hang", hang.alarm.since != nil, now)
            note("lives", lives.alarm.since != nil, now)
            note("failing", calls.failing.since != nil, now)
            note("wait", waits.slow.since != nil, now)
            note("growth", level.alarm.since != nil, now)
            note("silence", silence.isSilent(at: now), now)
        }
    }

    private mutating func closeTail(_ durations: [Float], _ now: Double) {
        let sorted = durations.sorted()
        let top = sorted.isEmpty ? 0 : Double(sorted[max(0, (sorted.count * 99 + 99) / 100 - 1)])
        tail.close(calls: Double(sorted.count), top: top, at: now) { limit in
            Double(sorted.count { Double($0) > limit })
        }
    }

    private mutating func note(_ detector: String, _ isFound: Bool, _ now: Double) {
        if !isFound { lasting.remove(detector) }
        if isFound, lasting.insert(detector).inserted { alarms[detector, default: []].append(now) }
    }
}

/// The numbers of ten seconds.
struct TrendStep {
    struct Calls {
        var new: Double
        var minute: CallMinute
        var waits: CallMinute
        /// Of the last minute, in seconds.
        var durations: [Float]
        var (inFlight, ended): (Double, Double)
        /// The 99.9th percentile of all that ended, in seconds.
        var longest: Double
    }

    /// The instances of a component: how many were made, how long they lived, and the ages of those that live, in seconds.
    struct Life {
        var made: Double
        var longest: Double?
        var ages: [Double]
    }

    var calls: Calls?
    var level: Double?
    var life: Life?
}

/// Makes the numbers of a component, ten seconds after ten seconds.
protocol TrendSource {
    mutating func next(_ now: Double) -> TrendStep
}
