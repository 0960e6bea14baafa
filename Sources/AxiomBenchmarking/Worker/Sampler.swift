// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CAxiomCounters

/// Runs a body in the process that measures it: finds how many iterations fill a sample, takes samples, counts.
final class Sampler {
    struct Calibration {
        let iterations: Int
        /// For each iteration.
        let nanoseconds: Double
        /// The time of four times as many iterations over that of these: near 4 for a body that does its work.
        let growth: Double
    }

    /// More iterations than this fill no millisecond: the body does nothing.
    static let mostIterations = 1 << 24

    /// How many samples of a process are thrown away.
    static let warmUps = 8

    private let body: Benchmark.Body
    private let meter: Meter
    /// What an empty body takes, in nanoseconds.
    private let overhead: (wall: Double, cpu: Double)
    /// The share by which samples are made longer, to test whether that is found.
    private let injected: Double
    /// Nanoseconds of an iteration in the first samples, of which what is injected is a share.
    private var firstTimes: [Double] = []

    init(_ body: @escaping Benchmark.Body, injected: Double, instructionCounter: Int32?) {
        self.body = body
        self.injected = injected
        meter = Meter(instructionCounter: instructionCounter)
        overhead = Self.overhead(meter)
    }

    /// The median of what start and stop take with nothing between.
    private static func overhead(_ meter: Meter) -> (wall: Double, cpu: Double) {
        let readings = (0..<101).map { _ in
            meter.start()
            meter.stop()
            return meter.reading
        }
        let middle = readings.count / 2
        return (Double(readings.map(\.wall).sorted()[middle]), Double(readings.map(\.cpu).sorted()[middle]))
    }

    /// Doubles the iterations until they fill a tenth of the time, and scales; then scales once more, since the first
    /// iterations of a body are often slower than the rest.
    func calibrate(_ target: Double) throws -> Calibration {
        var iterations = 1
        var time = try quicker(iterations)
        while time < target / 10, iterations < Self.mostIterations {
            iterations *= 2
            time = try quicker(iterations)
        }
        iterations = Self.filling(target, iterations, time)
        let times = try (0..<3).map { _ in try sample(iterations).wall }.sorted()
        let longer = times[1] < 100 * target ? try sample(4 * iterations).wall / max(times[1], 1) : 4
        return Calibration(
            iterations: Self.filling(target, iterations, times[1]),
            nanoseconds: times[1] / Double(iterations),
            growth: longer
        )
    }

    /// The time of the quicker of two samples: the first of all pays for what is made once, and a sample during which
    /// the process did not run would end the calibration too early.
    private func quicker(_ iterations: Int) throws -> Double {
        min(try sample(iterations).wall, try sample(iterations).wall)
    }

    /// How many iterations fill a time, where so many took so long.
    private static func filling(_ target: Double, _ iterations: Int, _ time: Double) -> Int {
        let scaled = Double(iterations) * target / max(time, 1)
        return Int(min(max(scaled.rounded(), 1), Double(mostIterations)))
    }

    /// One sample, in nanoseconds for all iterations, without what the harness takes.
    func sample(_ iterations: Int) throws -> (wall: Double, cpu: Double) {
        try body(iterations, meter)
        guard injected > 0 else { return known(meter.reading, spun: 0) }
        guard firstTimes.count >= Self.warmUps else {
            firstTimes.append(Double(meter.reading.wall) / Double(iterations))
            return known(meter.reading, spun: 0)
        }
        let usual = firstTimes.sorted()[firstTimes.count / 2]
        return known(meter.reading, spun: Self.spin(injected * usual * Double(iterations)))
    }

    private func known(_ reading: Reading, spun: Double) -> (wall: Double, cpu: Double) {
        (
            max(0, Double(reading.wall) - overhead.wall) + spun,
            max(0, Double(reading.cpu) - overhead.cpu) + spun
        )
    }

    /// Works for so many nanoseconds, and says how long it took in truth.
    private static func spin(_ nanoseconds: Double) -> Double {
        let start = TimeSource.live.now
        while true {
            let passed = Double(TimeSource.live.now.nanoseconds(since: start))
            if passed >= nanoseconds { return passed }
        }
    }

    /// Counts what as many iterations do, after as many that only warm up.
    func count(_ iterations: Int) throws -> Reading {
        try body(iterations, meter)
        try body(iterations, meter)
        return meter.reading
    }
}
