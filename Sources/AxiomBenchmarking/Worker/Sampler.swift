// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CAxiomProcess

/// How many iterations of a body fill a sample. Each time is the least of several: one that was preempted does not count.
struct Calibration {
    let iterations: Int
    /// For each iteration.
    let nanoseconds: Double
    /// The time of four times as many iterations over that of these: near 4 for a body that does its work.
    let growth: Double

    /// If more iterations take less than a millisecond, the body is empty.
    private static let mostIterations = 1 << 24

    /// Doubles the iterations until they fill a tenth of the time, and scales until they fill most of it. A sample of more than a
    /// hundred times the target is taken twice at most.
    ///
    /// - Parameters:
    ///   - target: In nanoseconds.
    ///   - time: Takes a sample of some iterations, in nanoseconds.
    init(filling target: Double, time: (Int) throws -> Double) rethrows {
        func least(of samples: Int, _ iterations: Int) throws -> Double {
            try (1..<samples).reduce(try time(iterations)) { least, number in
                number == 1 || least < 100 * target ? min(least, try time(iterations)) : least
            }
        }
        var (first, next, passed) = (1, 1, 0.0)
        while next < Self.mostIterations, try least(of: 2, next) < target / 10 { next *= 2 }
        repeat {
            (first, passed) = (next, try least(of: 5, next))
            next = Self.filling(target, first, passed)
        } while next > 2 * first
        growth = passed < 100 * target ? try least(of: 2, 4 * first) / max(passed, 1) : 4
        (iterations, nanoseconds) = (next, passed / Double(first))
    }

    /// The number of iterations that fill `target`, if `iterations` took `time`.
    private static func filling(_ target: Double, _ iterations: Int, _ time: Double) -> Int {
        let scaled = Double(iterations) * target / max(time, 1)
        return Int(min(max(scaled.rounded(), 1), Double(mostIterations)))
    }
}

/// Runs a body in the process that measures it: finds how many iterations fill a sample, takes samples, counts.
final class Sampler {
    /// The number of samples of a process that are discarded.
    static let warmUps = 8

    private let body: Benchmark.Body
    private let meter: Meter
    /// The time of an empty body, in nanoseconds.
    private let overhead: (wall: Double, cpu: Double)
    /// The share by which samples are made longer, for self-tests.
    private let injected: Double
    /// Nanoseconds of an iteration in the first samples: the base of the injected share.
    private var firstTimes: [Double] = []
    private lazy var stacks = StackSampler()

    init(_ body: @escaping Benchmark.Body, injected: Double, instructionCounter: Int32?) {
        self.body = body
        self.injected = injected
        meter = Meter(instructionCounter: instructionCounter)
        overhead = Self.overhead(meter)
    }

    /// The median time of start and stop without a body.
    private static func overhead(_ meter: Meter) -> (wall: Double, cpu: Double) {
        let readings = (0..<101).map { _ in
            meter.start()
            meter.stop()
            return meter.reading
        }
        let middle = readings.count / 2
        return (Double(readings.map(\.wall).sorted()[middle]), Double(readings.map(\.cpu).sorted()[middle]))
    }

    /// Finds how many iterations fill `target` nanoseconds.
    func calibrate(_ target: Double) throws -> Calibration {
        try Calibration(filling: target) { try sample($0).wall }
    }

    /// Takes one sample, in nanoseconds for all iterations, without the overhead of the harness.
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

    /// Spins for a duration and returns the exact time that it took.
    private static func spin(_ nanoseconds: Double) -> Double {
        let start = TimeSource.live.now
        while true {
            let passed = Double(TimeSource.live.now.nanoseconds(since: start))
            if passed >= nanoseconds { return passed }
        }
    }

    /// Samples the stacks of the process while the body runs for a time.
    func profile(_ iterations: Int, for duration: Duration) throws -> StackCosts {
        for _ in 0..<Self.warmUps { try body(iterations, meter) }
        meter.observer = stacks.measure
        defer { meter.observer = nil }
        let end = TimeSource.live.now.advanced(by: duration)
        var runs = 0
        var costs = try stacks.costs {
            repeat {
                try body(iterations, meter)
                runs += 1
            } while TimeSource.live.now < end
        }
        costs.iterations = runs * iterations
        return costs
    }

    /// Counts for a number of iterations, after as many iterations to warm up.
    func count(_ iterations: Int) throws -> Reading {
        try body(iterations, meter)
        try body(iterations, meter)
        return meter.reading
    }
}
