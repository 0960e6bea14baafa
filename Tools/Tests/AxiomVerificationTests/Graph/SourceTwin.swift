// SPDX-License-Identifier: Apache-2.0

import AxiomVerification
import Foundation
import Testing

/// Source code that follows a rule, and the same code with another line that breaks it.
struct SourceTwin: Sendable, CustomTestStringConvertible {
    let rule: RuleID
    let good: String
    /// A line of `good`, without its indentation.
    let line: String
    /// What replaces it.
    let replacement: String

    init(_ rule: RuleID, _ good: String, replace line: String, with replacement: String) {
        (self.rule, self.good, self.line, self.replacement) = (rule, good, line, replacement)
    }

    var bad: String { good.replacingOccurrences(of: line, with: replacement) }
    var testDescription: String { "\(rule.rawValue): \(replacement)" }

    /// Whether exactly one line differs.
    var differsInOneLine: Bool {
        let (before, after) = (good.split(separator: "\n"), bad.split(separator: "\n"))
        return before.count == after.count && zip(before, after).count { $0 != $1 } == 1
    }

    /// What the rule finds in a file of the module `Shop`.
    func findings(in source: String, _ environment: ProjectEnvironment = ProjectEnvironment()) throws -> [Finding] {
        let found = try #require(RuleCatalog.all.first { $0.id == rule })
        return Self.findings(of: found, in: ["Sources/Shop/Shop.swift": source], environment)
    }

    static func findings(
        of rule: Rule,
        in sources: [String: String],
        _ environment: ProjectEnvironment = ProjectEnvironment()
    ) -> [Finding] {
        var findings = Findings(for: rule)
        rule.check(project(sources, environment), &findings)
        return findings.sorted()
    }

    static func project(
        _ sources: [String: String],
        _ environment: ProjectEnvironment = ProjectEnvironment()
    ) -> ProjectFacts {
        let files = sources.map { path, source in
            FileFacts.read(path: path, module: ModuleMap().module(of: path), bytes: Array(source.utf8))
        }
        var project = ProjectFacts(files: files)
        project.environment = environment
        return project
    }
}
