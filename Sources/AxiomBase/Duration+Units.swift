// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in seconds, as the nearest `Double`.
    public var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// The duration in whole nanoseconds, rounded towards zero and held at the range of `Int64` (±292 years).
    public var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard overflow || carried else { return sum }
        return seconds < 0 ? .min : .max
    }
}
