// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension CircuitBreakerConfiguration {
    /// The longest time that any option may have: a day for windows, a year for what is waited for.
    private static let day = Duration.seconds(86_400)
    private static let year = Duration.seconds(365 * 86_400)

    func validate() throws(ResilienceError) {
        try validateWindow()
        try validateRules()
        try validateOpenTime()
        try validateReadmission()
    }

    private func validateWindow() throws(ResilienceError) {
        try require(minimumCalls >= 1, "minimumCalls", minimumCalls, "Use at least 1")
        switch window.extent {
        case .calls(let size):
            try require((1...1_000_000).contains(size), "window", "count(\(size))", "Use 1 to 1,000,000 calls")
            try require(
                minimumCalls <= size,
                "minimumCalls",
                minimumCalls,
                "The window never holds more than \(size) calls: use at most that, or a larger window"
            )
        case .nanoseconds(let length):
            let length = Duration.nanoseconds(length)
            try require(
                length >= .milliseconds(1) && length <= Self.day,
                "window",
                "time(\(length))",
                "Use 1 ms to 1 day"
            )
        }
    }

    private func validateRules() throws(ResilienceError) {
        if let failureRateThreshold {
            try requireShare("failureRateThreshold", failureRateThreshold, "set nil for no such rule")
        }
        if let consecutiveFailures {
            try require(
                consecutiveFailures >= 1,
                "consecutiveFailures",
                consecutiveFailures,
                "Use at least 1, or nil for no such rule"
            )
        }
        if let slowCallDuration { try requireTime("slowCallDuration", slowCallDuration) }
        try requireShare("slowCallRateThreshold", slowCallRateThreshold, "set slowCallDuration to nil for no such rule")
    }

    private func validateOpenTime() throws(ResilienceError) {
        try requireTime("openDuration", openDuration)
        try requireTime("openDurationCap", openDurationCap)
        try requireTime("toldOpenLimit", toldOpenLimit)
        try require(
            openDurationCap >= openDuration,
            "openDurationCap",
            openDurationCap,
            "Use at least openDuration, which is \(openDuration)"
        )
        try require(
            openDurationGrowth >= 1 && openDurationGrowth.isFinite,
            "openDurationGrowth",
            openDurationGrowth,
            "Use at least 1, which does not grow"
        )
        try require(
            (0...1).contains(openDurationJitter),
            "openDurationJitter",
            openDurationJitter,
            "Use 0, which adds nothing, to 1, which up to doubles the open time"
        )
    }

    private func validateReadmission() throws(ResilienceError) {
        try require((1...1_000).contains(halfOpenPermits), "halfOpenPermits", halfOpenPermits, "Use 1 to 1,000")
        try requireTime("halfOpenTimeLimit", halfOpenTimeLimit)
        guard let ramp else { return }
        try requireTime("ramp.duration", ramp.duration)
        try require(
            ramp.initialShare > 0 && ramp.initialShare < 1,
            "ramp.initialShare",
            ramp.initialShare,
            "Use more than 0 and less than 1, or no ramp"
        )
    }

    private func requireTime(_ option: String, _ time: Duration) throws(ResilienceError) {
        try require(
            time >= .nanoseconds(1) && time <= Self.year,
            option,
            time,
            "Use at least a nanosecond and at most a year"
        )
    }

    private func requireShare(_ option: String, _ share: Double, _ remedy: String) throws(ResilienceError) {
        try require(share > 0 && share <= 1, option, share, "Use more than 0 and at most 1; \(remedy)")
    }

    private func require<Value>(
        _ isSound: Bool,
        _ option: String,
        _ value: Value,
        _ remedy: String
    ) throws(ResilienceError) {
        guard !isSound else { return }
        throw ResilienceError(.invalidOption, "\(option) of a circuit breaker cannot be \(value). \(remedy).")
    }
}
