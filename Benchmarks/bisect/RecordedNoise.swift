// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// Pairs of processes of builds that do the same, as they were measured on a machine, and what builds and pairs cost there.
struct RecordedNoise: Codable {
    /// Consecutive pairs of one benchmark and two builds. Four pairs in a row have the same order of functions.
    struct Series: Codable {
        let benchmark: String
        /// The revision that was compared with the present one.
        let revision: String
        /// The natural logarithms of the quotients of the times.
        let logRatios: [Double]
    }

    /// Fewer pairs have no centre.
    static let leastPairs = 40
    /// The longest file, in bytes.
    static let mostBytes = 60_000
    private static let schema = "axiom-bench/bisect-noise"

    private var schema = Self.schema
    private var schemaVersion = 1
    var processor = ""
    var recordedAt = ""
    /// What a revision took that was built after another one.
    var buildSeconds: [Double] = []
    /// What one more pair took, with its part of linking both builds again.
    var pairSeconds: [Double] = []
    var series: [Series] = []

    /// The number of all pairs.
    var pairs: Int { series.reduce(0) { $0 + $1.logRatios.count } }

    /// What a file lacks, with the remedy.
    struct Problem: MessageError, CustomStringConvertible {
        let message: String
    }

    init() {}

    init(path: String) throws(Problem) {
        let decoded: RecordedNoise
        do {
            decoded = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            throw Problem(
                message: "\(path) is no record of noise (\(String(clause: error))): make one by bisect-score record"
            )
        }
        let costs = decoded.buildSeconds + decoded.pairSeconds
        guard decoded.schema == Self.schema, decoded.schemaVersion == 1, !decoded.series.isEmpty,
            !decoded.buildSeconds.isEmpty, !decoded.pairSeconds.isEmpty, costs.allSatisfy({ $0 > 0 && $0.isFinite }),
            decoded.series.allSatisfy({ $0.logRatios.count >= Self.leastPairs })
        else {
            throw Problem(
                message: "\(path) lacks costs, or series of \(Self.leastPairs) pairs: make one by bisect-score record"
            )
        }
        self = decoded
    }

    /// Writes a file of at most ``mostBytes``: longer series are cut.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        var (noise, longest) = (self, series.map(\.logRatios.count).max() ?? 0)
        var bytes = try encoder.encode(noise)
        while bytes.count > Self.mostBytes, longest > Self.leastPairs {
            longest = max(Self.leastPairs, longest * 9 / 10)
            noise.series = series.map { series in
                Series(
                    benchmark: series.benchmark,
                    revision: series.revision,
                    logRatios: Array(series.logRatios.prefix(longest))
                )
            }
            bytes = try encoder.encode(noise)
        }
        guard bytes.count <= Self.mostBytes else {
            throw Problem(message: "\(series.count) series are too long for \(path): record fewer benchmarks")
        }
        try bytes.write(to: URL(filePath: path))
    }
}

/// Recorded noise, prepared to be replayed.
///
/// The centre of a series is the effect of two builds that do the same. The deviations from it are the noise of pairs. They
/// are replayed in blocks of neighbouring pairs, because these resemble each other.
struct NoiseReplay {
    /// One series of a benchmark.
    private struct Deviations {
        let centre: Double
        let values: [Double]
    }

    /// Pairs in a block: those of two orders of functions.
    private static let block = 8

    private let benchmarks: [[Deviations]]
    private let centres: [Double]
    let noise: RecordedNoise

    init(_ noise: RecordedNoise) throws {
        self.noise = noise
        var byBenchmark: [String: [Deviations]] = [:]
        for series in noise.series {
            let centre = try HodgesLehmann.interval(of: series.logRatios, confidence: 0.9).value
            byBenchmark[series.benchmark, default: []].append(
                Deviations(centre: centre, values: series.logRatios.map { $0 - centre })
            )
        }
        benchmarks = byBenchmark.sorted { $0.key < $1.key }.map(\.value)
        centres = benchmarks.flatMap { $0.map(\.centre) }
    }

    /// The number of benchmarks, of which a planted history has one.
    var count: Int { benchmarks.count }

    /// The effect of one build: two of them make the effect of a pair of builds.
    func buildEffect(_ random: inout SeededGenerator) -> Double {
        centres[random.index(below: centres.count)] / 2.0.squareRoot() * random.sign()
    }

    /// Deviations of a benchmark, in blocks from random places of its series. Both builds did the same, so that each sign is as
    /// likely.
    func deviations(of benchmark: Int, count: Int, _ random: inout SeededGenerator) -> [Double] {
        var result: [Double] = []
        while result.count < count {
            let all = benchmarks[benchmark]
            let values = all[random.index(below: all.count)].values
            let (start, sign) = (random.index(below: values.count - Self.block), random.sign())
            result += values[start..<start + Self.block].map { sign * $0 }
        }
        return Array(result.prefix(count))
    }

    /// What one build takes.
    func buildSeconds(_ random: inout SeededGenerator) -> Double {
        noise.buildSeconds[random.index(below: noise.buildSeconds.count)]
    }

    /// What a pair takes.
    var pairSeconds: Double { noise.pairSeconds.reduce(0, +) / Double(noise.pairSeconds.count) }

    /// The median over all series of their standard deviations, and of the absolute values of their centres.
    var spread: (pairs: Double, builds: Double) {
        let deviations = benchmarks.flatMap { $0.compactMap { try? Statistics.standardDeviation($0.values) } }
        return ((try? Statistics.median(deviations)) ?? 0, (try? Statistics.median(centres.map { abs($0) })) ?? 0)
    }
}

extension SeededGenerator {
    /// 1 or -1.
    mutating func sign() -> Double { index(below: 2) == 0 ? 1 : -1 }

    /// A number of the normal distribution with mean 0 and variance 1 (Box and Muller, 1958).
    mutating func normal() -> Double {
        (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
    }
}
