// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomStatistics

@Suite("Families of tests, series and resampling")
struct SeriesTests {
    /// A first-order autoregression with standard normal noise.
    private static func series(_ count: Int, _ memory: Double, seed: UInt64) -> [Double] {
        var generator = SeededGenerator(seed: seed)
        var value = generator.normal() / (1 - memory * memory).squareRoot()
        return (0..<count).map { _ in
            value = memory * value + generator.normal()
            return value
        }
    }

    @Test("Holm's, and Benjamini's and Hochberg's p-values are those of the reference")
    func families() throws {
        let reference = try Reference().families
        let holm = try MultipleComparisons.holm(reference.p)
        #expect(zip(holm, reference.holm).allSatisfy { close($0, $1) })
        let discoveries = try MultipleComparisons.benjaminiHochberg(reference.p)
        #expect(zip(discoveries, reference.benjamini_hochberg).allSatisfy { close($0, $1) })
        #expect(throws: ProfileError.self) { try MultipleComparisons.benjaminiHochberg([2]) }
        #expect(try MultipleComparisons.holm([]).isEmpty)
        #expect(throws: ProfileError.self) { try MultipleComparisons.holm([0.1, .nan]) }
    }

    @Test("Under chance the p-values of a placement test are not too small; marks in one place have a small one")
    func placements() {
        var (random, small) = (SeededGenerator(seed: 21), 0)
        for seed in 0..<300 {
            let marked = (0..<200).count { _ in random.index(below: 10) == 0 }
            let values = (0..<200).map { _ in random.unit() }
            let test = PlacementTest(placings: 199, seed: UInt64(seed))
            let p = test.pValues(of: marked, among: 200, [{ $0.reduce(0) { $0 + values[$1] } }, { _ in 1 }])
            if p[0] <= 0.05 { small += 1 }
            #expect(p[1] == 1, "a constant is never unusual")
        }
        #expect((3...27).contains(small), "15 are expected")
        let found = PlacementTest().pValues(of: 10, among: 200, [{ -Double($0.reduce(0, +)) }])
        #expect(found == [0.0005])
        #expect(PlacementTest().pValues(of: 0, among: 0, [nil]) == [1])
    }

    @Test("Autocorrelations are NumPy's")
    func autocorrelation() throws {
        let reference = try Reference().autocorrelation
        for (lag, expected) in reference.coefficients.enumerated() {
            #expect(close(Autocorrelation.coefficient(lag, reference.series), expected))
        }
        #expect(Autocorrelation.coefficient(1, [3, 3, 3]) == 0)
    }

    @Test("The autocorrelation time of an autoregression comes out near (1 + r) / (1 - r)")
    func time() throws {
        for (memory, expected) in [(0.0, 1.0), (0.5, 3.0), (0.8, 9.0)] {
            let times = try (0..<20).map { try Autocorrelation.time(of: Self.series(4_000, memory, seed: $0)) }
            #expect(abs(Statistics.average(times) / expected - 1) < 0.15)
        }
    }

    @Test("The bootstrap's error of a mean is the one that theory gives, for neighbours that resemble each other too")
    func bootstrap() throws {
        for memory in [0.0, 0.5] {
            let count = 600
            let errors = try (UInt64(0)..<20).map { seed in
                let values = Self.series(count, memory, seed: seed)
                let length = max(1, Int((2 * (try Autocorrelation.time(of: values))).rounded(.up)))
                let bootstrap = try BlockBootstrap(blockLength: length * 3, replicates: 300, seed: seed)
                return Statistics.spread(bootstrap.distribution(of: values, Statistics.average))
            }
            let theory = 1 / ((1 - memory) * Double(count).squareRoot())
            #expect(abs(Statistics.average(errors) / theory - 1) < 0.12, "memory \(memory)")
        }
    }

    @Test("The same seed draws the same resamples, another draws others, and blocks stay together")
    func determinism() throws {
        let values = (0..<30).map(Double.init)
        func means(_ seed: UInt64) throws -> [Double] {
            let bootstrap = try BlockBootstrap(blockLength: 5, replicates: 20, seed: seed)
            return bootstrap.distribution(of: values) { resample in
                for start in stride(from: 0, to: 30, by: 5) {
                    for step in 1..<5 {
                        let expected = (Int(resample[start]) + step) % 30
                        #expect(Int(resample[start + step]) == expected)
                    }
                }
                return resample.reduce(0, +)
            }
        }
        #expect(try means(1) == means(1))
        #expect(try means(1) != means(2))
        #expect(throws: ProfileError.self) { try BlockBootstrap(blockLength: 0) }
    }
}

extension BlockBootstrap {
    /// The statistic of every resample, in the order in which they are drawn.
    fileprivate func distribution(of values: [Double], _ statistic: ([Double]) -> Double) -> [Double] {
        var results: [Double] = []
        forEachResample(of: values.count) { indices in results.append(statistic(indices.map { values[$0] })) }
        return results
    }
}
