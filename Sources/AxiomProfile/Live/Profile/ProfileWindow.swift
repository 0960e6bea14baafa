// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// What one operation did in one window of time. In a file it is one line.
public struct ProfileWindow: Hashable, Sendable {
    /// When the window began, in seconds since 1970-01-01 00:00 UTC.
    public var start: Double
    /// The durations of the operation, in seconds.
    public var durations: ExponentialHistogramData
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes a window.
    public init(start: Double, durations: ExponentialHistogramData) {
        self.start = start
        self.durations = durations
    }

    /// How often the operation was done.
    public var requests: UInt64 { durations.count }
}

extension ProfileWindow: Record {
    init() {
        self.init(start: 0, durations: .empty)
    }

    static let fields: [Field<Self>] = [
        Field("start", \.start),
        Field("hist", \.durations),
    ]
}
