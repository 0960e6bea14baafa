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
