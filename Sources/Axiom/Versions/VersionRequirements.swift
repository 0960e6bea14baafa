// SPDX-License-Identifier: Apache-2.0

/// The versions of Axiom that the parts of one application require.
struct VersionRequirements {
    private var ranges: [(part: String, range: VersionRange)] = []

    /// Adds the requirement of `part`, as in `the application`.
    mutating func add(_ range: VersionRange, of part: String) {
        if range != .any { ranges.append((part, range)) }
    }

    /// One error that names every part that does not work with `version`; nil if there is none.
    func mismatch(with version: Version) -> CompositionError? {
        let unmet = ranges.filter { !$0.range.contains(version) }
        guard !unmet.isEmpty else { return nil }
        let parts = unmet.map { "\($0.part) requires \($0.range)" }
        return CompositionError(
            .versionMismatch,
            "This is Axiom \(version), but \(parts.joined(separator: "; ")).",
            "Use a version of Axiom that all of them accept, or update the components."
        )
    }

    /// Which versions run. The value is always 1.
    static let signal = SignalFamily(
        "axiom_version_info",
        .gauge,
        help: "The version of each module of the framework that is in use; always 1.",
        labels: ["module", "version"]
    )
}
