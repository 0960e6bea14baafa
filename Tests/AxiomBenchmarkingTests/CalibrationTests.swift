// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomBenchmarking

@Suite("The number of iterations of a sample")
struct CalibrationTests {
    private static let target = 1_000_000.0

    @Test(
        "Fills the sample for fast and slow bodies, though one sample in four is preempted",
        arguments: [0.3, 40, 2_500, 90_000, 700_000] as [Double]
    )
    func preempted(_ nanoseconds: Double) {
        let seed = TestSeed.steady()
        var wrong = 0
        for number in 0..<1_000 {
            var random = SeededGenerator(seed: seed, stream: UInt64(number))
            let calibration = Calibration(filling: Self.target) { iterations in
                // What a call costs, what its iterations cost, and the time slices of other processes.
                let slices = random.unit() < 0.25 ? 3_000_000 * Double(1 + random.index(below: 20)) : 0
                return 500 + Double(iterations) * nanoseconds * (1 + 0.05 * random.unit()) + slices
            }
            let share = Double(calibration.iterations) * nanoseconds / Self.target
            let isRight = (0.5...1.5).contains(share) && abs(calibration.growth - 4) < 1
            wrong += isRight ? 0 : 1
        }
        #expect(wrong < 100, "seed \(seed): \(wrong) of 1,000")
    }

    @Test("An empty body has iterations that grow to their limit, and no growth of time")
    func empty() {
        let calibration = Calibration(filling: Self.target) { _ in 20 }
        #expect(calibration.iterations == 1 << 24 && calibration.growth == 1)
    }
}
