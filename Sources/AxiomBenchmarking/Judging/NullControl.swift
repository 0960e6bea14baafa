// SPDX-License-Identifier: Apache-2.0

internal import AxiomProfile
internal import Foundation

/// The comparison of a program with a copy of itself, which every run makes: where that finds a difference, the machine
/// is no judge of times today.
struct NullControl: Hashable, Sendable {
    /// How much pairs of equal programs may vary, as logarithm.
    static let greatestDeviation = 0.1

    let id: String
    let shift: ShiftEstimate
    let deviation: Double

    init(id: String, logRatios: [Double]) throws(ProfileError) {
        self.id = id
        shift = try HodgesLehmann.interval(of: logRatios, confidence: 0.99)
        deviation = try Statistics.standardDeviation(logRatios)
    }

    /// Why times are not to be judged; nil when they may be.
    func problem(minimumEffect: Double) -> String? {
        if deviation > Self.greatestDeviation {
            return "pairs of the same program vary by \(Format.percent(deviation)) (\(id))"
        }
        if !shift.contains(0), abs(shift.value) >= log1p(minimumEffect) / 2 {
            return "the same program differs from itself by \(Format.percent(expm1(shift.value))) (\(id))"
        }
        return nil
    }
}
