// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomDashboard
internal import Foundation

extension SeededGenerator {
    mutating func uniform(_ range: ClosedRange<Double> = 0...1) -> Double { Double.random(in: range, using: &self) }

    /// Between the bounds, with the same share in each factor.
    mutating func logUniform(_ range: ClosedRange<Double>) -> Double {
        exp(uniform(log(range.lowerBound)...log(range.upperBound)))
    }

    mutating func normal() -> Double {
        (-2 * log(1 - Double.random(in: 0..<1, using: &self))).squareRoot() * cos(2 * .pi * uniform())
    }

    mutating func poisson(_ mean: Double) -> Double {
        guard mean < 30 else { return max(0, (mean + mean.squareRoot() * normal()).rounded()) }
        var (count, product) = (0.0, Double.random(in: 0..<1, using: &self))
        while product > exp(-mean) { (count, product) = (count + 1, product * Double.random(in: 0..<1, using: &self)) }
        return count
    }
}

// MARK: - Calls

/// How a component is called, and how long that takes.
enum CallShape: TrendShape, CaseIterable {
    case steady, dailyWave, bursts, heavyTail, twoPeaks, drift, warmUp, deployStep, idle, timer, groups
    case sessions, slowThrice, slowTenfold, slowHalf, failsMore, fails, stops, waits, longTenth, hangs

    static let healthy: [any TrendShape] = allCases.filter { $0.detector.isEmpty }
    static let planted: [any TrendShape] = allCases.filter { !$0.detector.isEmpty }

    var detector: String {
        switch self {
        case .slowThrice, .slowTenfold, .slowHalf: "latency"
        case .failsMore, .fails: "failing"
        case .stops: "silence"
        case .waits: "wait"
        case .longTenth: "tail"
        case .hangs: "hang"
        case .sessions: "silence"
        default: ""
        }
    }

    var name: String {
        switch self {
        case .slowThrice: "all calls take three times as long"
        case .slowTenfold: "all calls take ten times as long"
        case .slowHalf: "60 % of the calls take ten times as long"
        case .failsMore: "10 points more calls fail"
        case .fails: "half of the calls fail"
        case .stops: "calls stop"
        case .waits: "calls wait for 50 ms"
        case .longTenth: "one call in ten takes fifty times as long"
        case .hangs: "one call in ten never ends"
        case .sessions: "people come and go (no fault)"
        default: "calls: \(self)"
        }
    }
}

struct CallSource: TrendSource {
    private let shape: CallShape
    private var random: SeededGenerator
    /// Calls a second, the median in seconds, its spread, and the share of failures.
    private let (rate, median, spread, failing): (Double, Double, Double, Double)
    private let (phase, period): (Double, Double)
    private var (drift, until, isOn) = (0.0, 0.0, true)
    /// The calls of the last six steps: durations, waits and failures.
    private var steps: [(durations: [Float], waits: [Float], failures: Int)] = []
    /// When each call that was made ends, those that have ended, and how long these took.
    private var (ends, ended, all) = ([(at: Double, seconds: Double)](), 0.0, ExponentialHistogramData.empty)

    init(seed: UInt64, _ shape: CallShape) {
        self.shape = shape
        random = SeededGenerator(seed: seed &* 31 &+ 5)
        rate = shape == .idle ? 0.005 : random.logUniform(shape.detector.isEmpty ? 0.05...5 : 1...5)
        median = random.logUniform(1e-3...0.3)
        spread = random.uniform(0.2...(shape == .steady ? 1.5 : 0.8))
        failing = [0, 0.001, 0.01, 0.05, 0.2].randomElement(using: &random) ?? 0
        phase = random.uniform(0...86_400)
        period = random.logUniform(15...600)
    }

    mutating func next(_ now: Double) -> TrendStep {
        let isPlanted = now > 3_600
        if shape == .drift { drift = 0.97 * drift + 0.045 * random.normal() }
        let count = Int(count(now, isPlanted))
        var step = (durations: [Float](), waits: [Float](), failures: 0)
        let share = isPlanted ? (shape == .fails ? 0.5 : shape == .failsMore ? failing + 0.1 : failing) : failing
        for _ in 0..<count {
            if shape == .hangs, isPlanted, random.uniform() < 0.1 {
                ends.append((.infinity, 0))
                continue
            }
            let seconds = duration(now, isPlanted)
            ends.append((now - random.uniform(0...10) + seconds, seconds))
            step.durations.append(Float(seconds))
            let waits = shape == .waits && isPlanted
            step.waits.append(Float(random.uniform() < 0.8 ? 1e-6 : 2e-3 * exp(random.normal())) + (waits ? 0.05 : 0))
            if random.uniform() < share { step.failures += 1 }
        }
        steps = steps.suffix(5) + [step]
        let failures = steps.reduce(0) { $0 + $1.failures }
        let minute = Self.minute(steps.flatMap(\.durations), failures)
        for end in ends where end.at <= now { all.record(end.seconds) }
        ended += Double(ends.count)
        ends.removeAll { $0.at <= now }
        ended -= Double(ends.count)
        let calls = TrendStep.Calls(
            new: Double(count),
            minute: minute,
            waits: Self.minute(steps.flatMap(\.waits), 0),
            durations: steps.flatMap(\.durations),
            inFlight: Double(ends.count),
            ended: ended,
            longest: all.estimate(0.999) ?? 0
        )
        return TrendStep(calls: calls)
    }

    private static func minute(_ values: [Float], _ failures: Int) -> CallMinute {
        guard !values.isEmpty else { return CallMinute() }
        let sorted = values.sorted()
        return CallMinute(
            calls: Double(sorted.count),
            failures: Double(failures),
            median: Double(sorted[(sorted.count - 1) / 2]),
            high: Double(sorted[(sorted.count - 1) * 9 / 10])
        )
    }

    private mutating func count(_ now: Double, _ isPlanted: Bool) -> Double {
        switch shape {
        case .stops where isPlanted: return 0
        case .dailyWave: return random.poisson(10 * rate * (1 + 0.8 * wave(now)))
        case .bursts:
            if now > until { (isOn, until) = (!isOn, now + random.logUniform(20...900)) }
            return random.poisson(10 * rate * (isOn ? 5 : 1))
        case .deployStep: return random.poisson(10 * rate * (now > phase / 6 ? 0.4 : 1))
        case .timer:
            // Each call comes after the period, more or less.
            guard now > until else { return 0 }
            until += period * random.uniform(0.8...1.2)
            return 1
        case .groups:
            guard now > until else { return 0 }
            until = now + period * random.uniform(0.5...1.5)
            return random.poisson(20) + 1
        case .sessions:
            if now > until { (isOn, until) = (!isOn, now + random.logUniform(120...3_600)) }
            return isOn ? random.poisson(10 * rate) : 0
        default: return random.poisson(10 * rate)
        }
    }

    private func wave(_ now: Double) -> Double { sin((now + phase) / 86_400 * 2 * .pi) }

    private mutating func duration(_ now: Double, _ isPlanted: Bool) -> Double {
        let usual = median * exp(spread * random.normal())
        switch shape {
        case .dailyWave: return usual * (1 + 0.4 * wave(now))
        case .bursts: return usual * (isOn ? 1.3 : 1)
        case .heavyTail:
            return median * pow(1 - Double.random(in: 0..<1, using: &random), -1 / (0.8 + 2 * phase / 86_400))
        case .twoPeaks: return usual * (random.uniform() < 0.5 + 0.45 * phase / 86_400 ? 1 : 30)
        case .drift: return usual * exp(drift)
        case .warmUp: return usual * (1 + 20 * exp(-now / 60))
        case .deployStep: return usual * (now > phase / 6 ? 1.4 : 1)
        case .slowThrice where isPlanted: return 3 * usual + 3e-3
        case .longTenth where isPlanted: return usual * (random.uniform() < 0.1 ? 50 : 1)
        case .slowTenfold where isPlanted: return 10 * usual
        case .slowHalf where isPlanted: return usual * (random.uniform() < 0.6 ? 10 : 1)
        default: return usual
        }
    }
}

// MARK: - Levels

/// How a level behaves.
enum LevelShape: TrendShape, CaseIterable {
    case constant, noise, warmUp, instances, instanceWave, sawtooth, longSawtooth, steps, wander
    case linear, slow, leak, firstFill

    static let healthy: [any TrendShape] = allCases.filter { $0.detector.isEmpty }
    static let planted: [any TrendShape] = allCases.filter { !$0.detector.isEmpty }

    var detector: String { [.linear, .slow, .leak, .firstFill].contains(self) ? "growth" : "" }

    /// The least growth that matters.
    var least: Double { [.instances, .instanceWave, .leak].contains(self) ? 16 : 65_536 }

    var name: String {
        switch self {
        case .linear: "a state of 1 MB grows by 300 kB a minute"
        case .slow: "a state of 1 MB grows by 50 kB a minute"
        case .leak: "10 instances a minute leak beside those that come and go"
        case .firstFill: "an empty cache fills for 5 to 20 minutes, and stays full (no fault)"
        default: "level: \(self)"
        }
    }
}

struct LevelSource: TrendSource {
    private let shape: LevelShape
    private var random: SeededGenerator
    private let (size, period, lifetime, mean): (Double, Double, Double, Double)
    private var (level, leaked): (Double, Double)
    private let stepTimes: [Double]

    init(seed: UInt64, _ shape: LevelShape) {
        self.shape = shape
        random = SeededGenerator(seed: seed &* 17 &+ 3)
        size = shape.detector.isEmpty ? random.logUniform(1e5...1e8) : 1e6
        period = shape == .longSawtooth ? random.logUniform(600...3_600) : random.logUniform(20...240)
        lifetime = random.logUniform(10...600)
        mean = random.logUniform(5...300)
        (level, leaked) = (shape == .longSawtooth ? random.uniform(0...1) : 0, 0)
        let count = Int.random(in: 1...6, using: &random)
        var times: [Double] = []
        for _ in 0..<count { times.append(random.uniform(0...14_400)) }
        stepTimes = times
        if shape == .leak || shape == .instanceWave { level = mean }
    }

    mutating func next(_ now: Double) -> TrendStep {
        TrendStep(level: value(now).rounded())
    }

    private mutating func value(_ now: Double) -> Double {
        let planted = max(0, now - 3_600) / 60
        switch shape {
        case .constant: return size
        case .noise: return size * (1 + 0.1 * random.normal())
        case .warmUp: return size * (1.02 - exp(-now / (10 + lifetime))) * (1 + 0.01 * random.normal())
        case .instances: return instances(mean)
        case .instanceWave: return instances(mean * (1 + 0.6 * sin(now / 86_400 * 2 * .pi + lifetime)))
        case .sawtooth:
            // Each fill takes a little more or less time: the samples each ten seconds see no slow beat of an exact period.
            level += 10 / period * random.uniform(0.8...1.2)
            if level > 1 { level -= 1 }
            return size * (0.5 + level)
        case .longSawtooth:
            // A full cache drops to a part, and fills again. It was full at the start.
            level += 10 / period
            if level > 1 { level = random.uniform(0.1...0.5) }
            return size * (now < 120 ? 1.2 : 0.2 + level)
        case .steps: return size * (1 + 0.5 * Double(stepTimes.count { $0 < now })) * (1 + 0.005 * random.normal())
        case .wander:
            level = 0.995 * level + 0.02 * random.normal()
            return size * exp(level)
        case .linear: return size + 3e5 * planted
        case .slow: return (size + 5e4 * planted) * (1 + 0.005 * random.normal())
        case .leak:
            if planted > 0 { leaked += random.poisson(10.0 / 6) }
            return instances(mean / 10) + leaked
        case .firstFill: return min(1, planted / (5 + lifetime / 40)) * size + 1e4
        }
    }

    /// The number of those that live, of which each ends by chance.
    private mutating func instances(_ mean: Double) -> Double {
        level += random.poisson(mean * 10 / lifetime)
        level = max(0, level - random.poisson(level * (1 - exp(-10 / lifetime))))
        return level
    }
}
