// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// What SciPy gave: `Reference/reference.json`, which `Reference/make-reference.py` writes.
struct Reference: Decodable {
    struct Interval: Decodable {
        let value: Double
        let lower: Double
        let upper: Double
        let confidence: Double
    }
    struct SignedRank: Decodable {
        let values: [Double]
        let method: String
        let p: [String: Double]
        let interval: Interval?
    }
    struct SignedRankCumulative: Decodable {
        let n: Int
        let w: Double
        let p: Double
    }
    struct MannWhitney: Decodable {
        let first: [Double]
        let second: [Double]
        let u: Double
        let exact: Bool
        let p: [String: Double]
        let shift: Double
    }
    struct Families: Decodable {
        let p: [Double]
        let holm: [Double]
        let benjamini_hochberg: [Double]
    }
    struct Series: Decodable {
        let series: [Double]
        let coefficients: [Double]
    }
    struct ClopperPearson: Decodable {
        let successes: Int
        let trials: Int
        let lower: Double
        let upper: Double
    }
    struct Detectable: Decodable {
        let deviation: Double
        let count: Int
        let alpha: Double
        let power: Double
        let effect: Double
    }
    struct Normal: Decodable {
        let p: Double
        let x: Double
    }
    struct Student: Decodable {
        let degrees: Double
        let x: Double
        let p: Double
    }
    struct Beta: Decodable {
        let a: Double
        let b: Double
        let x: Double
        let p: Double
    }
    struct Binomial: Decodable {
        let n: Int
        let p: Double
        let level: Double
        let k: Int
    }

    let signed_rank: [SignedRank]
    let signed_rank_cumulative: [SignedRankCumulative]
    let mann_whitney: [MannWhitney]
    let families: Families
    let autocorrelation: Series
    let clopper_pearson: [ClopperPearson]
    let detectable: [Detectable]
    let normal: [Normal]
    let student: [Student]
    let student_quantile: [Student]
    let beta: [Beta]
    let binomial: [Binomial]

    init() throws {
        let path = Repository.root.appending(path: "Tests/AxiomStatisticsTests/Reference/reference.json")
        self = try JSONDecoder().decode(Reference.self, from: Data(contentsOf: path))
    }
}

/// Whether two numbers differ by no more than `tolerance`, relative to the second.
func close(_ value: Double, _ expected: Double, _ tolerance: Double = 1e-10) -> Bool {
    abs(value - expected) <= tolerance * max(abs(expected), .leastNormalMagnitude)
}
