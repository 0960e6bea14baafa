// SPDX-License-Identifier: Apache-2.0

/// The versions that a component or an application works with.
///
/// ```swift
/// nonisolated static let requiredAxiom = VersionRange.compatible(with: Version(0, 1, 0))
/// ```
public struct VersionRange: Sendable, Hashable, CustomStringConvertible {
    /// The first version; nil for none.
    private let first: Version?
    /// The first version after the range; nil for none.
    private let end: Version?

    /// Every version.
    public static let any = VersionRange(first: nil, end: nil)

    /// `first` and every later version.
    public static func atLeast(_ first: Version) -> VersionRange {
        VersionRange(first: first, end: nil)
    }

    /// `first` and the later versions that promise to be compatible with it: those of the same major version. Before
    /// 1.0.0 they are those of the same minor version, because a version 0.y.z promises nothing more.
    public static func compatible(with first: Version) -> VersionRange {
        let (next, isLast) = (first.major > 0 ? first.major : first.minor).addingReportingOverflow(1)
        guard first.major > 0 else {
            return VersionRange(first: first, end: isLast ? Version(1, 0, 0) : Version(0, next, 0))
        }
        return VersionRange(first: first, end: isLast ? nil : Version(next, 0, 0))
    }

    /// The versions from the lower bound up to the upper bound, without the latter and its pre-releases.
    public init(_ versions: Range<Version>) {
        self.init(first: versions.lowerBound, end: versions.upperBound)
    }

    private init(first: Version?, end: Version?) {
        self.first = first
        self.end = end
    }

    /// Whether the range contains `version`. A pre-release of the end is not in the range, although it precedes the
    /// end: it already has its incompatible changes.
    public func contains(_ version: Version) -> Bool {
        if let first, version < first { return false }
        guard let end else { return true }
        return version < end && (version.release != end || !end.prerelease.isEmpty)
    }

    /// As in `0.1.0 or later, before 0.2.0`.
    public var description: String {
        switch (first, end) {
        case (nil, nil): "any version"
        case (let first?, nil): "\(first) or later"
        case (nil, let end?): "before \(end)"
        case (let first?, let end?): "\(first) or later, before \(end)"
        }
    }
}
