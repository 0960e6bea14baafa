// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How a quantity of which less is better changed against its baseline: what every verdict looks at.
public struct RelativeChange: Hashable, Sendable {
    /// The current value over the baseline's, above 0.
    public let ratio: Double

    /// The change from `baseline` to `current`; nil when there is none to speak of: both 0, one negative or NaN.
    public init?(from baseline: Double, to current: Double) {
        guard baseline >= 0, current >= 0, baseline + current > 0 else { return nil }
        ratio = current / baseline
    }

    /// The change of which the natural logarithm is known.
    public init(logarithm: Double) {
        ratio = exp(logarithm)
    }

    /// The natural logarithm of the ratio.
    public var logarithm: Double { log(ratio) }

    /// The change relative to the baseline: 0.1 for a tenth more, infinite when the baseline is 0.
    public var relative: Double { ratio - 1 }

    /// Whether the quantity grew by more than `threshold`, relative to the baseline. A threshold that is NaN is
    /// exceeded by every change: better one alarm too many than none ever.
    public func exceeds(_ threshold: Double) -> Bool {
        !(relative <= threshold)
    }
}
