// SPDX-License-Identifier: Apache-2.0

/// The throttle of gRPC proposal A6, in whole thousandths of a token.
struct TokenRatioRule: Sendable {
    private let maximum: Int
    private let gain: Int
    /// In 0...`maximum`.
    private var thousandths: Int

    init(maximumTokens: Int, ratio: Double) {
        maximum = maximumTokens * 1_000
        gain = Int((ratio * 1_000).rounded())
        thousandths = maximum
    }

    var tokens: Double { Double(thousandths) / 1_000 }

    var allowsRetry: Bool { thousandths > maximum / 2 }

    mutating func recordSuccess() {
        thousandths = min(maximum, thousandths + gain)
    }

    mutating func recordFailure() {
        thousandths = max(0, thousandths - 1_000)
    }
}
