// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// The measured difference of two commits.
struct ObservedShift: Hashable, Sendable {
    /// Fewer pairs of processes of two commits are not used.
    private static let leastPairs = 5
    /// The least standard deviation of a pair of processes.
    private static let leastDeviation = 1e-4

    let pair: RevisionPair
    /// The estimate of Hodges and Lehmann.
    let centre: Double
    /// The variance of the estimate by the noise of pairs of processes.
    let variance: Double

    /// Summarizes comparisons. A pair of processes has the same variance in all of them.
    static func all(
        _ comparisons: [BisectionState.Comparison]
    ) throws(ProfileError) -> (shifts: [ObservedShift], variance: Double) {
        // Sums depend on their order.
        let used = comparisons.filter { $0.logRatios.count >= leastPairs }.sorted {
            ($0.pair.older, $0.pair.newer) < ($1.pair.older, $1.pair.newer)
        }
        var (centres, squares, count) = ([Double](), 0.0, 0.0)
        for comparison in used {
            // The width of the interval shows the deviation of the estimate, also with heavy tails (Lehmann 1963).
            let shift = try HodgesLehmann.interval(of: comparison.logRatios, confidence: 0.9)
            let reach = try NormalDistribution.quantile((1 + shift.confidence) / 2)
            let pairs = Double(comparison.logRatios.count)
            centres.append(shift.value)
            squares += pow(pairs * (shift.upper - shift.lower) / (2 * reach), 2)
            count += pairs
        }
        let variance = max(leastDeviation * leastDeviation, squares / max(1, count - Double(used.count)))
        let shifts = zip(used, centres).map { comparison, centre in
            let pairs = Double(comparison.logRatios.count)
            return ObservedShift(pair: comparison.pair, centre: centre, variance: variance / pairs)
        }
        return (shifts, variance)
    }
}

/// A symmetric, positive definite matrix as the product of a lower triangular matrix and its transpose (Cholesky).
struct CovarianceMatrix {
    /// The rows of the triangular factor.
    private var rows: [[Double]] = []

    /// Factors a matrix of `count` rows.
    ///
    /// - Parameter element: The element of a row and of a column that is not beyond the diagonal.
    /// - Returns: nil if the matrix is not positive definite.
    init?(_ count: Int, _ element: (Int, Int) -> Double) {
        for row in 0..<count {
            var values: [Double] = []
            for column in 0..<row {
                let other = rows[column]
                values.append((element(row, column) - Self.product(values, other)) / other[column])
            }
            let rest = element(row, row) - Self.product(values, values)
            guard rest > 0 else { return nil }
            rows.append(values + [rest.squareRoot()])
        }
    }

    /// The inverse of the factor times a vector. Scalar products of results are products with the inverse of the matrix.
    func whitened(_ vector: [Double]) -> [Double] {
        var result: [Double] = []
        for (row, values) in rows.enumerated() {
            result.append((vector[row] - Self.product(result, values)) / values[row])
        }
        return result
    }

    /// The scalar product, up to the end of the first vector.
    static func product(_ one: [Double], _ other: [Double]) -> Double {
        var sum = 0.0
        for index in one.indices { sum += one[index] * other[index] }
        return sum
    }
}
