// SPDX-License-Identifier: Apache-2.0

/// What a run of the demo can be told.
struct DemoOptions: Hashable, Sendable {
    /// Steps per second, more than 0.
    var rate = 50.0
    var seed: UInt64 = 1
    var faults = FaultMode.none
    /// How long a step may take; a run in which one takes longer is given up.
    var stepLimit: Duration = .seconds(10)
    /// Where storage writes; nil for a folder that is removed at the end.
    var dataFolder: String?
}
