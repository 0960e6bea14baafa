// SPDX-License-Identifier: Apache-2.0

/// The version of Axiom, the source of every other place that shows it. Write it with the module: `Axiom.version`.
public let version = Version(0, 1, 0)

/// A version as [Semantic Versioning 2.0.0](https://semver.org) defines it, as in `1.4.0-beta.2+build.7`.
///
/// Two versions that differ only in their build metadata are equal, because the specification gives them the same
/// precedence.
public struct Version: Sendable, CustomStringConvertible {
    /// Incremented for incompatible changes.
    public let major: Int
    /// Incremented for new functions.
    public let minor: Int
    /// Incremented for corrections.
    public let patch: Int
    /// The identifiers of a pre-release, as in `["beta", "2"]`; empty for a release.
    public let prerelease: [String]
    /// The identifiers of the build metadata, as in `["build", "7"]`.
    public let build: [String]

    /// Makes the version of a release. A negative number counts as 0.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        self.init(major, minor, patch, prerelease: [], build: [])
    }

    init(_ major: Int, _ minor: Int, _ patch: Int, prerelease: [String], build: [String]) {
        self.major = max(0, major)
        self.minor = max(0, minor)
        self.patch = max(0, patch)
        self.prerelease = prerelease
        self.build = build
    }

    /// The version as text, which ``init(parsing:)`` reads.
    public var description: String {
        var text = "\(major).\(minor).\(patch)"
        if !prerelease.isEmpty { text += "-" + prerelease.joined(separator: ".") }
        if !build.isEmpty { text += "+" + build.joined(separator: ".") }
        return text
    }

    /// The version without pre-release and build metadata.
    var release: Version { Version(major, minor, patch) }
}

extension Version: Hashable, Comparable {
    /// Whether both have the same precedence.
    public static func == (left: Version, right: Version) -> Bool {
        (left.major, left.minor, left.patch) == (right.major, right.minor, right.patch)
            && left.prerelease == right.prerelease
    }

    /// Hashes what determines the precedence.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(major)
        hasher.combine(minor)
        hasher.combine(patch)
        hasher.combine(prerelease)
    }

    /// Whether the left version precedes the right one, by the rules of section 11 of the specification.
    public static func < (left: Version, right: Version) -> Bool {
        let (old, new) = ((left.major, left.minor, left.patch), (right.major, right.minor, right.patch))
        if old != new { return old < new }
        // A pre-release precedes its release.
        if left.prerelease.isEmpty || right.prerelease.isEmpty {
            return !left.prerelease.isEmpty && right.prerelease.isEmpty
        }
        for (one, other) in zip(left.prerelease, right.prerelease) where one != other {
            return precedes(one, other)
        }
        return left.prerelease.count < right.prerelease.count
    }

    /// Numbers precede text. Numbers are compared as numbers of any length, text in the order of ASCII.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        switch (isNumber(one), isNumber(other)) {
        case (true, true): (one.utf8.count, one) < (other.utf8.count, other)
        case (true, false): true
        case (false, true): false
        case (false, false): one.utf8.lexicographicallyPrecedes(other.utf8)
        }
    }

    private static func isNumber(_ identifier: String) -> Bool {
        identifier.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
