// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// How long one operation of a running application took, window by window.
///
/// Windows are kept apart because the variation between windows, not between requests, determines how certain a shift
/// is.
package struct LiveProfile: Hashable, Sendable {
    /// The operation, as `process/CartClient/addItem`; the same in every process.
    package var operation = ""
    /// The component of the operation. Operations of one group can take over each other's work. Empty for none.
    package var group = ""
    /// The process that recorded it, if one file has profiles of several; empty otherwise.
    package var instance = ""
    /// The length of every window, in seconds.
    package var windowLength = 10.0
    /// The windows, in order of time. Windows without requests may be left out.
    package var windows: [ProfileWindow] = []
    var unknown = UnknownMembers()

    package init() {}

    package init(operation: String, group: String = "", windowLength: Double = 10, windows: [ProfileWindow] = []) {
        self.operation = operation
        self.group = group
        self.windowLength = windowLength
        self.windows = windows
    }

    func validate(_ code: ProfileError.Code) throws(ProfileError) {
        guard windowLength > 0, windowLength.isFinite else {
            throw ProfileError(code, "the live profile \"\(operation)\" has windows of \(windowLength) seconds")
        }
        guard zip(windows, windows.dropFirst()).allSatisfy({ $0.start < $1.start }) else {
            throw ProfileError(code, "the windows of the live profile \"\(operation)\" are not in order of time")
        }
    }
}

extension LiveProfile: Record {
    static let fields: [Field<Self>] = [
        Field("operation", \.operation),
        Field("group", \.group),
        Field("instance", \.instance),
        Field("window_s", \.windowLength),
        Field("windows", \.windows),
    ]
}

/// The durations of one operation in one window of time. In a file it is one line.
package struct ProfileWindow: Hashable, Sendable {
    /// When the window began, in seconds since 1970-01-01 00:00 UTC.
    package var start: Double
    /// The durations, in seconds.
    package var durations: ExponentialHistogramData
    var unknown = UnknownMembers()

    package init(start: Double, durations: ExponentialHistogramData) {
        self.start = start
        self.durations = durations
    }

    /// How many requests ended in the window.
    package var requests: UInt64 { durations.count }
}

extension ProfileWindow: Record {
    init() { self.init(start: 0, durations: .empty) }

    static let fields: [Field<Self>] = [
        Field("start", \.start),
        Field("hist", \.durations),
    ]
}
