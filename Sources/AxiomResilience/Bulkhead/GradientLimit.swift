// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The settings of a ``Bulkhead`` limit that adapts to the latency of the calls: it grows while calls are as fast as on
/// average, and shrinks when they get slower. The defaults are those of Netflix's concurrency-limits.
public struct AdaptiveLimit: Hashable, Sendable {
    /// The initial limit, in ``minimum``...``maximum``. Default: 20.
    public var initial = 20
    /// The lowest limit, in 1...1,000,000. Default: 20.
    public var minimum = 20
    /// The highest limit, at most 1,000,000. Default: 200.
    public var maximum = 200
    /// How much slower than average a call may be before the limit shrinks: 1 or more. Default: 1.5.
    public var tolerance = 1.5
    /// The weight of the newest limit, above 0 and at most 1. Default: 0.2.
    package var smoothing = 0.2
    /// How many calls may queue at the server, 0 or more: the step by which the limit grows. Default: 4.
    package var queueSize = 4.0
    /// The length of the long-term average, in calls: 1 or more. Default: 600.
    package var longWindow = 600

    /// Creates the default settings.
    public init() {}

    func validate(_ check: SettingCheck) throws {
        let isMinimum = (1...1_000_000).contains(minimum)
        try check.require(isMinimum, "minimum", minimum, "it has to be in 1...1,000,000")
        let isMaximum = maximum >= minimum && maximum <= 1_000_000
        try check.require(isMaximum, "maximum", maximum, "it has to be in minimum...1,000,000")
        let isInitial = initial >= minimum && initial <= maximum
        try check.require(isInitial, "initial", initial, "it has to be in minimum...maximum")
        let isTolerance = tolerance >= 1 && tolerance.isFinite
        try check.require(isTolerance, "tolerance", tolerance, "it has to be 1 or more, and finite")
        try check.require(smoothing > 0 && smoothing <= 1, "smoothing", smoothing, "it has to be in 0...1, above 0")
        let isQueue = queueSize >= 0 && queueSize.isFinite
        try check.require(isQueue, "queueSize", queueSize, "it has to be 0 or more, and finite")
        try check.require(longWindow >= 1, "longWindow", longWindow, "it has to be 1 or more")
    }
}

/// A concurrency limit that adapts to latency: it grows while calls are as fast as on average, and shrinks when they get
/// slower, because slower calls are a sign of queues at the server.
///
/// The algorithm is Gradient2 of Netflix's concurrency-limits. For each call, with the long-term average latency L,
/// the latency of the call s, and the limit n:
///
///     gradient = clamp(0.5...1, tolerance × L / s)
///     n ← n × (1 - smoothing) + (gradient × n + queueSize) × smoothing, clamped to minimum...maximum
///
/// The limit does not change while less than half of it is in use, because then it does not limit the calls. L is an
/// exponential average; over the first 10 calls it is the arithmetic mean. While L is more than twice s, it shrinks by 5 %
/// per call, so that the average recovers quickly from an outage.
struct GradientLimit: Hashable, Sendable {
    private static let warmup = 10

    private let settings: AdaptiveLimit
    /// The limit with its fraction, in minimum...maximum.
    private(set) var estimate: Double
    private var longLatency = 0.0
    /// The number of calls in the average, counted up to `warmup`.
    private var seen = 0

    /// Creates a limit.
    ///
    /// - Throws: ``ResilienceError`` if a setting is out of range.
    init(_ settings: AdaptiveLimit = AdaptiveLimit(), file: String = #fileID, line: Int = #line) throws {
        try settings.validate(SettingCheck(subject: "GradientLimit", file: file, line: line))
        self.settings = settings
        estimate = Double(settings.initial)
    }

    /// How many calls may run at once.
    var limit: Int { Int(estimate) }

    /// The long-term average latency; zero before the first call.
    var averageLatency: Duration {
        // The longest latency, Int64.max nanoseconds, is rounded up in `Double` to a value that Int64 cannot hold.
        .nanoseconds(Int64(exactly: longLatency.rounded()) ?? .max)
    }

    /// Updates the limit after a call.
    ///
    /// - Parameters:
    ///   - latency: The latency of the call. Zero and less count as 1 ns, the resolution of the clock.
    ///   - inFlight: How many calls were running when it began, itself included.
    mutating func record(latency: Duration, inFlight: Int) {
        let short = Double(max(1, latency.clampedNanoseconds))
        updateAverage(short)
        let long = longLatency
        if long / short > 2 { longLatency *= 0.95 }
        guard Double(inFlight) >= estimate / 2 else { return }
        let gradient = max(0.5, min(1, settings.tolerance * long / short))
        let next = estimate * gradient + settings.queueSize
        let smoothed = estimate * (1 - settings.smoothing) + next * settings.smoothing
        estimate = max(Double(settings.minimum), min(Double(settings.maximum), smoothed))
    }

    private mutating func updateAverage(_ short: Double) {
        if seen < Self.warmup {
            seen += 1
            longLatency += (short - longLatency) / Double(seen)
        } else {
            let weight = 2 / (Double(settings.longWindow) + 1)
            longLatency = longLatency * (1 - weight) + short * weight
        }
    }
}
