// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Foundation

/// Recorded windows of an application, made from a seed, and replayed to a judge as fast as it can take them.
struct Replay {
    /// How an operation behaves.
    struct Operation {
        let name: String
        var group = ""
        /// The median duration, in seconds.
        var median = 0.002
        /// The deviation of durations' logarithm, among the requests of a window.
        var spread = 0.3
        /// The deviation of windows' levels, as a logarithm.
        var drift = 0.02
        /// How much a window's level resembles the one before, below 1.
        var memory = 0.3
        var requests = 60
    }

    /// Six operations of three components.
    static let shop = [
        Operation(name: "Cart/add", group: "Cart"), Operation(name: "Cart/remove", group: "Cart", spread: 0.4),
        Operation(name: "User/login", group: "User", median: 0.03),
        Operation(name: "User/load", group: "User", drift: 0.03),
        Operation(name: "Price/quote", group: "Price", median: 0.0004, spread: 0.2),
        Operation(name: "Price/tax", group: "Price", requests: 40),
    ]

    let seed: UInt64
    var operations = Replay.shop
    var policy = LivePolicy()

    /// Ten minutes of one operation.
    ///
    /// - Parameter slowness: By what the durations of a window are multiplied.
    func windows(_ position: Int, later: Bool, _ slowness: (Int) -> Double = { _ in 1 }) -> [ProfileWindow] {
        let operation = operations[position]
        var generator = SeededGenerator(seed: seed, stream: UInt64(position * 2 + (later ? 1 : 0)))
        var level = operation.drift * generator.normal()
        return (0..<60).compactMap { number in
            guard var durations = ExponentialHistogramData(schema: 6) else { return nil }
            let centre = log(operation.median * slowness(number)) + level
            for _ in 0..<(operation.requests / 2) {
                // Two normal numbers by Box and Muller: quicker than inversion, and there are millions.
                let radius = operation.spread * (-2 * log(1 - generator.unit())).squareRoot()
                let angle = 2 * .pi * generator.unit()
                durations.record(exp(centre + radius * cos(angle)))
                durations.record(exp(centre + radius * sin(angle)))
            }
            let fresh = (1 - operation.memory * operation.memory).squareRoot() * operation.drift
            level = operation.memory * level + fresh * generator.normal()
            return ProfileWindow(start: Double(number) * 10, durations: durations)
        }
    }

    /// The profiles of the ten minutes before.
    var baseline: [LiveProfile] {
        operations.indices.map {
            LiveProfile(
                operation: operations[$0].name,
                group: operations[$0].group,
                windows: windows($0, later: false)
            )
        }
    }

    /// What the judge came to.
    struct Result {
        let verdicts: [LiveVerdict]
        /// The operations that were ever judged regressed, and at the end of which window first.
        let alarms: [String: Int]
    }

    /// Replays ten minutes in which the named operations are slower from their first window on.
    func run(slowing slowness: [String: Double] = [:], from first: Int = 0) throws -> Result {
        var judge = try LiveJudge(
            baseline: baseline,
            recordedOn: Fingerprint(),
            runningOn: Fingerprint(),
            policy: policy
        )
        let recorded = operations.indices.map { position in
            windows(position, later: true) { $0 < first ? 1 : slowness[operations[position].name] ?? 1 }
        }
        var alarms: [String: Int] = [:]
        for number in 0..<60 {
            let closed = zip(operations, recorded).map { ($0.name, $1[number]) }
            let changes = judge.close(Dictionary(closed) { first, _ in first })
            for change in changes where change.verdict.kind == .regressed && alarms[change.operation] == nil {
                alarms[change.operation] = number + 1
            }
        }
        return Result(verdicts: judge.verdicts, alarms: alarms)
    }
}
