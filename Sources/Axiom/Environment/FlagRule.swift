// SPDX-License-Identifier: Apache-2.0

/// Where the values of flags come from, as an immutable snapshot. A source that is read again is replaced by a new one.
public protocol FlagSource: Sendable {
    /// The name of the source, as in `the file shop.json`.
    var name: String { get }

    /// The rule of a flag; nil if the source does not have it.
    func rule(for flag: String) -> FlagRule?
}

/// The value that a source has for a flag, and for how many subjects.
///
/// As text: `VALUE` for everybody, or `VALUE@PERCENT%` for a share of the subjects; the others get the fallback.
/// `20%` is short for `true@20%`, unless the text itself is a value of the flag, as it is of a flag of text.
public struct FlagRule: Sendable, Hashable {
    /// The value as text.
    public let value: String
    /// The share of the subjects that get the value, from 0 to 100; nil for everybody.
    public let percent: Double?
    /// Whether the text ends with a percentage outside of 0...100. Such a rule has no value for anybody.
    let hasInvalidShare: Bool
    /// The whole text if it is a share without a value, which a flag of text takes as its value; nil for another text.
    let shareText: String?

    /// Reads a rule from its text.
    public init(_ text: String) {
        if text.hasSuffix("%") {
            let at = text.lastIndex(of: "@")
            let share = text[(at.map { text.index(after: $0) } ?? text.startIndex)...].dropLast()
            if let percent = Double(share) {
                let shareText = at == nil ? text : nil
                guard (0...100).contains(percent) else {
                    self.init(value: text, percent: nil, hasInvalidShare: true, shareText: shareText)
                    return
                }
                self.init(value: at.map { String(text[..<$0]) } ?? "true", percent: percent, shareText: shareText)
                return
            }
        }
        self.init(value: text, percent: nil)
    }

    private init(value: String, percent: Double?, hasInvalidShare: Bool = false, shareText: String? = nil) {
        self.value = value
        self.shareText = shareText
        self.hasInvalidShare = hasInvalidShare
        self.percent = percent
    }
}

/// Decides which subjects get a value that is rolled out in part.
///
/// Each subject has a number from 0 to 9,999 for each flag, and gets the value if the number is below the percentage
/// times 100. The number is `hash % 10,000`. The hash is FNV-1a with 64 bits over the bytes of the flag's name in
/// UTF-8, one zero byte, and the bytes of the subject in UTF-8, followed by the 64-bit finalizer of MurmurHash3, which
/// spreads similar subjects evenly. So the decision is the same on each machine and in each run, a higher percentage
/// keeps all subjects of a lower one, and the shares of two flags are independent.
package enum FlagRollout {
    /// How many numbers there are: a percentage has two decimals.
    package static let numbers: UInt64 = 10_000

    /// The number of a subject for a flag.
    package static func number(of subject: String, flag: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        for byte in flag.utf8 { mix(byte) }
        mix(0)
        for byte in subject.utf8 { mix(byte) }
        hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
        return (hash ^ (hash >> 33)) % numbers
    }

    /// Whether the rollout of a flag to `percent` of the subjects includes `subject`.
    package static func includes(_ subject: String, flag: String, percent: Double) -> Bool {
        Double(number(of: subject, flag: flag)) < (percent * 100).rounded()
    }
}

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
