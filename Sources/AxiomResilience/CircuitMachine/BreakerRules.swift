// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// A valid configuration in the units of the state machine: nanoseconds, and sentinels instead of optionals.
struct BreakerRules: Sendable {
    let isShadow: Bool
    var window: CallWindow.Extent
    let minimumCalls: Int
    /// More than 1 if there is no such rule.
    let failureRate: Double
    /// `Int.max` if there is no such rule.
    let consecutiveFailures: Int
    /// 0 if no call is slow.
    let slowNanoseconds: Int64
    let slowRate: Double
    let openNanoseconds: Double
    let openGrowth: Double
    let openCap: Double
    let openJitter: Double
    let retryAfterLimit: Int64
    let permits: Int
    /// The share of failed probes that opens the breaker again; 0 if one failure does.
    let probeFailureRate: Double
    let probeNanoseconds: Int64
    /// 0 if there is no ramp.
    let rampNanoseconds: Int64
    let rampShare: Double

    /// Checks a configuration. Throws the ``ResilienceError`` that names the setting.
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
        retryAfterLimit = configuration.retryAfterLimit.clampedNanoseconds
        permits = configuration.halfOpenPermits
        probeFailureRate = configuration.failureRateThreshold ?? 0
        probeNanoseconds = configuration.halfOpenTimeLimit.clampedNanoseconds
        rampNanoseconds = configuration.ramp?.duration.clampedNanoseconds ?? 0
        rampShare = configuration.ramp?.initialShare ?? 1
    }
}

/// Whether a call must read the clock when it starts and when it ends. Read without the breaker's lock.
///
/// The bits only select a shortcut. Each shortcut checks under the lock that it applies, so a stale value costs time and
/// nothing else. Relaxed ordering is therefore sufficient.
struct ClockRequirements: ~Copyable, Sendable {
    private let bits: Atomic<UInt8>

    init(_ rules: BreakerRules) { bits = Atomic(Self.bits(rules)) }

    @inline(__always)
    var timesStart: Bool { bits.load(ordering: .relaxed) & 1 != 0 }

    @inline(__always)
    var timesEnd: Bool { bits.load(ordering: .relaxed) & 2 != 0 }

    func set(_ rules: BreakerRules) { bits.store(Self.bits(rules), ordering: .relaxed) }

    private static func bits(_ rules: BreakerRules) -> UInt8 {
        if rules.slowNanoseconds > 0 { return 3 }
        if case .nanoseconds = rules.window { return 2 }
        return 0
    }
}
