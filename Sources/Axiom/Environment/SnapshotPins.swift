// SPDX-License-Identifier: Apache-2.0

/// The snapshots of flags that the actions under way use, by the trail of each action.
///
/// Kept here and not in the trail, so that an action that evaluates no flag pays nothing.
struct SnapshotPins {
    private struct Pin {
        /// Nil when the action has ended. Another trail can then have the same address.
        weak var trail: ErrorTrail?
        let snapshot: FeatureFlags.Snapshot
    }

    private var pins: [ObjectIdentifier: Pin] = [:]
    /// The table is swept when it has doubled since the last sweep, so the cost of each pin is constant.
    private var sweepSize = 64

    /// How many pins there are, including those of actions that have ended.
    var count: Int { pins.count }

    /// The snapshot of an action. The first call pins `latest`.
    ///
    /// - Returns: Also the snapshots that are no longer used, which the caller releases when it no longer has the lock:
    ///   that may run the code of a source.
    mutating func snapshot(
        of trail: ErrorTrail,
        _ latest: FeatureFlags.Snapshot
    ) -> (used: FeatureFlags.Snapshot, unused: [FeatureFlags.Snapshot]) {
        let key = ObjectIdentifier(trail)
        if let pin = pins[key], pin.trail === trail { return (pin.snapshot, []) }
        var unused: [FeatureFlags.Snapshot] = []
        if pins.count >= sweepSize {
            unused = pins.values.filter { $0.trail == nil }.map(\.snapshot)
            pins = pins.filter { $0.value.trail != nil }
            sweepSize = max(64, pins.count * 2)
        }
        if let old = pins.updateValue(Pin(trail: trail, snapshot: latest), forKey: key) { unused.append(old.snapshot) }
        return (latest, unused)
    }
}
