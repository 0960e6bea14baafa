// SPDX-License-Identifier: Apache-2.0

#if Tools
package import AxiomSyntax

/// Collects what the rules find.
package struct Findings: Sendable {
    package private(set) var all: [Finding] = []

    package init() {}

    package mutating func add(_ finding: Finding) {
        all.append(finding)
    }

    /// In the order of every report: path, place, rule.
    package func sorted() -> [Finding] {
        all.sorted { left, right in
            if left.location.path != right.location.path { return left.location.path < right.location.path }
            if left.location.start != right.location.start { return left.location.start < right.location.start }
            if left.rule != right.rule { return left.rule.rawValue < right.rule.rawValue }
            return left.identity < right.identity
        }
    }
}
#endif
