// SPDX-License-Identifier: Apache-2.0

/// How long one operation of a running application took, window by window.
///
/// Windows are kept apart, because what differs from window to window, and not from request to request, decides how
/// sure one can be of a shift.
public struct LiveProfile: Hashable, Sendable {
    /// The operation, as `process/CartClient/addItem`; the same in every process.
    public var operation = ""
    /// Operations of one group can take over each other's work: the component that they belong to. Empty for none.
    public var group = ""
    /// The process that recorded it, where profiles of several are in one file; empty otherwise.
    public var instance = ""
    /// The length of every window, in seconds.
    public var windowLength = 10.0
    /// The windows, in order of time. Those without requests may be left out.
    public var windows: [ProfileWindow] = []
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}

    /// Makes a profile.
    public init(operation: String, group: String = "", windowLength: Double = 10, windows: [ProfileWindow] = []) {
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
