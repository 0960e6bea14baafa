// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// How the levels of commits vary, besides the noise of pairs. The logarithm of a level is the sum of the steps up to the
/// commit, of an effect of its build, which is independent of all others, and of a random walk.
struct StepModel: Hashable, Sendable {
    /// The standard deviation by the build.
    var build = 0.004
    /// The standard deviation of the walk from a commit to the next.
    var drift = 0.0015
    /// The probability that there are two steps; the higher one is wanted then.
    var secondStep = 0.1
    /// The standard deviation of the height of a step, about 0.
    let height: Double

    /// The covariance of two differences, without the noise of pairs.
    func covariance(_ one: RevisionPair, _ other: RevisionPair) -> Double {
        let same = (one.older == other.older ? 1.0 : 0) + (one.newer == other.newer ? 1 : 0)
        let opposite = (one.older == other.newer ? 1.0 : 0) + (one.newer == other.older ? 1 : 0)
        let shared = max(0, min(one.newer, other.newer) - max(one.older, other.older))
        return build * build * (same - opposite) + drift * drift * Double(shared)
    }
}

/// The probability that the step is at a commit, given measured differences.
///
/// Everything is Gaussian if the place of the step is given, so the probability is exact under the model. Candidates that no
/// measured commit separates form a segment, and share its probability equally.
struct StepPosterior {
    /// In the order of commits: all candidates after one measured commit up to the next one.
    let segments: [ClosedRange<Int>]
    /// The probability of each segment. The sum is 1.
    private(set) var probabilities: [Double] = []
    let model: StepModel
    let shifts: [ObservedShift]
    private let matrix: CovarianceMatrix
    /// The differences, and for each segment which of them contain it, both times the inverse factor of the covariance.
    private let differences: [Double]
    private let patterns: [[Double]]
    /// The scalar products of each pattern with the differences and with itself.
    private let fits: [Double]
    private let squares: [Double]
    /// The inverse variance of the height of a step.
    private let precision: Double

    /// - Parameter shifts: At least the difference of the first and the last commit.
    /// - Returns: nil if the differences are not finite.
    init?(_ shifts: [ObservedShift], last: Int, _ model: StepModel) {
        let cuts = Set(shifts.flatMap { [$0.pair.older, $0.pair.newer] } + [0, last]).sorted()
        let segments = zip(cuts, cuts.dropFirst()).map { $0 + 1...$1 }
        let matrix = CovarianceMatrix(shifts.count) { row, column in
            model.covariance(shifts[row].pair, shifts[column].pair) + (row == column ? shifts[row].variance : 0)
        }
        guard let matrix, shifts.allSatisfy(\.centre.isFinite) else { return nil }
        let differences = matrix.whitened(shifts.map(\.centre))
        patterns = segments.map { segment in
            matrix.whitened(
                shifts.map { $0.pair.older < segment.lowerBound && segment.upperBound <= $0.pair.newer ? 1 : 0 }
            )
        }
        fits = patterns.map { CovarianceMatrix.product($0, differences) }
        squares = patterns.map { CovarianceMatrix.product($0, $0) }
        precision = 1 / (model.height * model.height)
        (self.shifts, self.model, self.matrix) = (shifts, model, matrix)
        (self.segments, self.differences) = (segments, differences)
        judge(Double(last))
    }

    /// Judges all places of one step and of two.
    private mutating func judge(_ count: Double) {
        var weights: [(segment: Int, logarithm: Double)] = []
        let (one, two) = count > 1 ? (1 - model.secondStep, 2 * model.secondStep / (count * (count - 1))) : (1, 0)
        for first in segments.indices {
            let size = Double(segments[first].count)
            weights.append((first, log(one * size / count) + evidence(first, precision)))
            // Two steps within a segment look like one whose variance is twice as large.
            weights.append((first, log(two * size * (size - 1) / 2) + evidence(first, precision / 2)))
            for second in segments.indices.dropFirst(first + 1) {
                let steps = twoSteps(first, second)
                let weight = log(two * size * Double(segments[second].count)) + steps.evidence
                weights.append((first, weight + log(steps.firstIsHigher)))
                weights.append((second, weight + log(1 - steps.firstIsHigher)))
            }
        }
        let greatest = weights.map(\.logarithm).max() ?? 0
        probabilities = segments.map { _ in 0 }
        for weight in weights { probabilities[weight.segment] += exp(weight.logarithm - greatest) }
        let sum = probabilities.reduce(0, +)
        probabilities = probabilities.map { $0 / sum }
    }

    /// The logarithm of the likelihood of a step in a segment over that of none.
    private func evidence(_ segment: Int, _ precision: Double) -> Double {
        let square = squares[segment]
        return fits[segment] * fits[segment] / (square + precision) / 2 - log(1 + square / precision) / 2
    }

    /// The same of two steps, and the probability that the first one is higher.
    private func twoSteps(_ first: Int, _ second: Int) -> (evidence: Double, firstIsHigher: Double) {
        let common = CovarianceMatrix.product(patterns[first], patterns[second])
        let (one, two) = (squares[first] + precision, squares[second] + precision)
        let determinant = one * two - common * common
        let heights = (
            (two * fits[first] - common * fits[second]) / determinant,
            (one * fits[second] - common * fits[first]) / determinant
        )
        let deviation = ((one + two + 2 * common) / determinant).squareRoot()
        return (
            (heights.0 * fits[first] + heights.1 * fits[second]) / 2 - log(determinant / (precision * precision)) / 2,
            NormalDistribution.cumulative((heights.0 - heights.1) / deviation)
        )
    }

    /// The likeliest segment.
    var best: Int { probabilities.indices.max { probabilities[$0] < probabilities[$1] } ?? 0 }

    /// The commits with the probability of each, in their order.
    var commits: [LikelyCommit] {
        zip(segments, probabilities).flatMap { segment, probability in
            segment.map { LikelyCommit(commit: $0, probability: probability / Double(segment.count)) }
        }
    }

    /// The information in bits that a new difference is expected to give about the place of the step: both ends of the pair are
    /// measured commits, or one of them is new and splits a segment.
    ///
    /// - Parameter variance: That of the noise of the new difference.
    func information(_ pair: RevisionPair, variance: Double) -> Double {
        let shared = matrix.whitened(shifts.map { model.covariance(pair, $0.pair) })
        let base = CovarianceMatrix.product(shared, differences)
        let rest = model.covariance(pair, pair) - CovarianceMatrix.product(shared, shared) + variance
        var (mean, square, within, isBetween) = (0.0, 0.0, 0.0, 0.0)
        for (index, segment) in segments.enumerated() {
            let known = CovarianceMatrix.product(shared, patterns[index])
            let height = fits[index] / (squares[index] + precision)
            let inside = segment.overlaps(pair.candidates) ? segment.clamped(to: pair.candidates).count : 0
            let share = Double(inside) / Double(segment.count)
            isBetween += probabilities[index] * share
            for (part, step) in [(share, 1.0), (1 - share, 0.0)] where part > 0 {
                let weight = probabilities[index] * part
                let expected = base + height * (step - known)
                mean += weight * expected
                square += weight * expected * expected
                within += weight * (rest + (step - known) * (step - known) / (squares[index] + precision))
            }
        }
        let other = 1 - isBetween
        guard isBetween > 0, other > 0 else { return 0 }
        // Not more than the entropy of whether the step is between both.
        let entropy = -isBetween * log2(isBetween) - other * log2(other)
        let gain = log2(1 + max(0, square - mean * mean) / within) / 2
        return gain * entropy / (gain + entropy)
    }
}
