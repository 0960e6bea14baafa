// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Foundation

extension Violation {
    static let all = [dependencies, values, components, bodies, graph, configured].flatMap(\.self)
}

/// How often long tests repeat: AXIOM_TEST_SCALE, which is a tenth by default.
enum TestScale {
    static let value = ProcessInfo.processInfo.environment["AXIOM_TEST_SCALE"].flatMap(Double.init) ?? 0.1
}

/// Judges the mutants of the demo.
enum SeededCorpus {
    /// What was found of the mutants of one rule.
    struct Share: Sendable {
        var count = 0
        var found = 0
        var missed: [String] = []

        mutating func add(_ other: Share) {
            count += other.count
            found += other.found
            missed += other.missed
        }

        func line(of rule: RuleID) -> String {
            "\(rule.rawValue): \(found) of \(count) found"
        }
    }

    static func share(of rule: RuleID, seed: UInt64, rounds: Int) -> Share {
        var share = Share()
        for violation in Violation.all where violation.rule == rule {
            for round in 0..<rounds {
                guard let mutant = violation.mutant(of: .demo, seed: seed &+ UInt64(round)) else { continue }
                let verdict = Program.demo.replacing(mutant.texts).judge(violation.configuration)
                let places = verdict.findings.filter { $0.rule == rule }.map {
                    "\($0.location.path):\($0.location.start.line)"
                }
                share.count += 1
                if !mutant.lines.isDisjoint(with: places) {
                    share.found += 1
                } else {
                    let others = verdict.findings.map {
                        "\($0.rule.rawValue) \($0.location.path):\($0.location.start.line)"
                    }
                    let errors = verdict.unreadableFiles.map {
                        "does not parse: \($0.location.path):\($0.location.start.line)"
                    }
                    share.missed.append(
                        "\(rule.rawValue), seed \(mutant.seed): \(mutant.name) at \(mutant.lines.sorted()), found \(others + errors)"
                    )
                }
            }
        }
        return share
    }
}
