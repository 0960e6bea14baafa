// SPDX-License-Identifier: Apache-2.0

/// What is doubtful about a benchmark itself.
enum Lint {
    /// The doubts, in words with their remedies.
    static func check(_ benchmark: BenchmarkInfo, _ plan: PairRunner.Plan) -> [String] {
        guard benchmark.own == nil else { return [] }
        if plan.iterations >= Sampler.mostIterations || plan.nanoseconds < 0.05 {
            return ["an iteration takes no time: the compiler removed the body; pass its results to blackHole"]
        }
        if plan.growth < 2 {
            return ["four times the iterations take \(Format.number(plan.growth)) times as long: does the body loop?"]
        }
        let sample = Double(plan.iterations) * plan.nanoseconds
        if sample < 20_000 { return ["a sample takes \(Format.time(sample)): too short beside the clock's own cost"] }
        if sample > 50 * Double(benchmark.sampleNanoseconds) {
            return ["an iteration takes \(Format.time(plan.nanoseconds)): few fit into a run, so that little is found"]
        }
        return []
    }
}
