// SPDX-License-Identifier: Apache-2.0

extension CircuitBreakerConfiguration {
    /// The maximum of a time window.
    private static let day = Duration.seconds(86_400)
    /// The maximum of every other duration.
    private static let year = Duration.seconds(365 * 86_400)

    func validate(_ check: SettingCheck) throws(ResilienceError) {
        try validateWindow(check)
        try validateRules(check)
        try validateOpenTime(check)
        try validateReadmission(check)
    }

    private func validateWindow(_ check: SettingCheck) throws(ResilienceError) {
        try check.require(minimumCalls >= 1, "minimumCalls", minimumCalls, "use at least 1")
        switch window.extent {
        case .calls(let size):
            try check.require((1...1_000_000).contains(size), "window", "count(\(size))", "use 1 to 1,000,000 calls")
            try check.require(
                minimumCalls <= size,
                "minimumCalls",
                minimumCalls,
                "the window contains at most \(size) calls; use at most that, or a larger window"
            )
        case .nanoseconds(let length):
            let length = Duration.nanoseconds(length)
            try check.require(
                length >= .milliseconds(1) && length <= Self.day,
                "window",
                "time(\(length))",
                "use 1 ms to 1 day"
            )
        }
    }

    private func validateRules(_ check: SettingCheck) throws(ResilienceError) {
        if let failureRateThreshold {
            try requireShare(check, "failureRateThreshold", failureRateThreshold, "set nil for no such rule")
        }
        if let consecutiveFailures {
            try check.require(
                consecutiveFailures >= 1,
                "consecutiveFailures",
                consecutiveFailures,
                "use at least 1, or nil for no such rule"
            )
        }
        if let slowCallDuration { try requireTime(check, "slowCallDuration", slowCallDuration) }
        try requireShare(
            check,
            "slowCallRateThreshold",
            slowCallRateThreshold,
            "set slowCallDuration to nil for no such rule"
        )
    }

    private func validateOpenTime(_ check: SettingCheck) throws(ResilienceError) {
        try requireTime(check, "openDuration", openDuration)
        try requireTime(check, "openDurationCap", openDurationCap)
        try requireTime(check, "retryAfterLimit", retryAfterLimit)
        try check.require(
            openDurationCap >= openDuration,
            "openDurationCap",
            openDurationCap,
            "use at least openDuration, which is \(openDuration)"
        )
        try check.require(
            openDurationGrowth >= 1 && openDurationGrowth.isFinite,
            "openDurationGrowth",
            openDurationGrowth,
            "use at least 1; at 1 the open time does not grow"
        )
        try check.require(
            (0...1).contains(openDurationJitter),
            "openDurationJitter",
            openDurationJitter,
            "use 0 for no jitter, up to 1, which adds up to the whole open time"
        )
    }

    private func validateReadmission(_ check: SettingCheck) throws(ResilienceError) {
        try check.require((1...1_000).contains(halfOpenPermits), "halfOpenPermits", halfOpenPermits, "use 1 to 1,000")
        try requireTime(check, "halfOpenTimeLimit", halfOpenTimeLimit)
        guard let ramp else { return }
        try requireTime(check, "ramp.duration", ramp.duration)
        try check.require(
            ramp.initialShare > 0 && ramp.initialShare < 1,
            "ramp.initialShare",
            ramp.initialShare,
            "use more than 0 and less than 1, or no ramp"
        )
    }

    private func requireTime(_ check: SettingCheck, _ option: String, _ time: Duration) throws(ResilienceError) {
        try check.require(
            time >= .nanoseconds(1) && time <= Self.year,
            option,
            time,
            "use at least a nanosecond and at most a year"
        )
    }

    private func requireShare(
        _ check: SettingCheck,
        _ option: String,
        _ share: Double,
        _ remedy: String
    ) throws(ResilienceError) {
        try check.require(share > 0 && share <= 1, option, share, "use more than 0 and at most 1; \(remedy)")
    }
}
