// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A configuration that was found to be sound, in the units that the state machine works in: nanoseconds.
struct BreakerRules: Sendable {
    let isShadow: Bool
    var window: CallWindow.Extent
    let minimumCalls: Int
    /// More than 1 where there is no such rule.
    let failureRate: Double
    /// `Int.max` where there is no such rule.
    let consecutiveFailures: Int
    /// 0 where no call is slow.
    let slowNanoseconds: Int64
    let slowRate: Double
    let openNanoseconds: Double
    let openGrowth: Double
    let openCap: Double
    let openJitter: Double
    let toldLimit: Int64
    let permits: Int
    /// The share of failed probes that opens again; 0 where the first does.
    let probeFailureRate: Double
    let probeNanoseconds: Int64
    /// 0 where there is no ramp.
    let rampNanoseconds: Int64
    let rampShare: Double
    let judgesResults: Bool
    let predicate: (@Sendable (WindowSummary) -> Bool)?

    /// Checks a configuration.
    ///
    /// - Throws: ``ResilienceError`` that names the option.
    init(_ configuration: CircuitBreakerConfiguration, _ check: SettingCheck) throws(ResilienceError) {
        try configuration.validate(check)
        isShadow = configuration.mode == .shadow
        window = configuration.window.extent
        minimumCalls = configuration.minimumCalls
        failureRate = configuration.failureRateThreshold ?? 2
        consecutiveFailures = configuration.consecutiveFailures ?? .max
        slowNanoseconds = configuration.slowCallDuration?.clampedNanoseconds ?? 0
        slowRate = configuration.slowCallRateThreshold
        openNanoseconds = Double(configuration.openDuration.clampedNanoseconds)
        openGrowth = configuration.openDurationGrowth
        openCap = Double(configuration.openDurationCap.clampedNanoseconds)
        openJitter = configuration.openDurationJitter
        toldLimit = configuration.toldOpenLimit.clampedNanoseconds
        permits = configuration.halfOpenPermits
        probeFailureRate = configuration.failureRateThreshold ?? 0
        probeNanoseconds = configuration.halfOpenTimeLimit.clampedNanoseconds
        rampNanoseconds = configuration.ramp?.duration.clampedNanoseconds ?? 0
        rampShare = configuration.ramp?.initialShare ?? 1
        judgesResults = configuration.classifyResult != nil
        predicate = configuration.tripWhen
    }
}
