// SPDX-License-Identifier: Apache-2.0

/// The version of Axiom, the source of every other place that shows it. Write it with the module: `Axiom.version`.
public let version = Version(0, 1, 0)

/// A version of three numbers, as in `1.4.0`: that of Axiom, or of the application that saved a state.
public struct Version: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Incremented for incompatible changes.
    public let major: Int
    /// Incremented for new functions.
    public let minor: Int
    /// Incremented for corrections.
    public let patch: Int

    /// Makes a version. A negative number counts as 0.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        (self.major, self.minor, self.patch) = (max(0, major), max(0, minor), max(0, patch))
    }

    /// Whether the left version precedes the right one.
    public static func < (left: Version, right: Version) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// As in `1.4.0`.
    public var description: String { "\(major).\(minor).\(patch)" }

    /// Which version runs. The value is always 1.
    static let signal = SignalFamily(
        "axiom_version_info",
        .gauge,
        help: "The version of each module of the framework that is in use; always 1.",
        labels: ["module", "version"]
    )
}

extension Version: Codable {
    /// Reads a version from its text. A pre-release and build metadata, as in `1.4.0-beta.2`, are ignored.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let release = text.prefix { $0 != "-" && $0 != "+" }
        let numbers = release.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2] else {
            let problem = "\"\(text.prefix(100))\" is not a version of three numbers, as in 1.4.0."
            throw DecodingError.dataCorruptedError(in: container, debugDescription: problem)
        }
        self.init(major, minor, patch)
    }

    /// Writes the version as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
