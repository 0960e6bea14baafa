// SPDX-License-Identifier: Apache-2.0

/// What the dashboard itself costs, for the page to say.
struct OwnCost: Sendable {
    var viewers = 0
    /// Of the latest tick.
    var tickBytes = 0
    /// Of the latest snapshot.
    var snapshotBytes = 0
    /// CPU time of the latest sample and tick, in seconds.
    var sampleSeconds: Double?
    /// CPU time of all samples and ticks over the time that has passed, 0...1.
    var share: Double?
}

/// The points of the charts that a tick tells.
struct TickPoints: Sendable {
    var fine = Point()
    /// Once a minute.
    var coarse: Point?
}
