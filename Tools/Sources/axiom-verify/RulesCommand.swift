// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomVerification

/// `axiom-verify rules`.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Lists the rules, or explains one.",
        subcommands: [List.self, Explain.self],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the rules with their severities.")

        func run() throws {
            let width = RuleCatalog.all.map(\.id.rawValue.count).max() ?? 0
            for rule in RuleCatalog.all {
                let name = rule.id.rawValue + String(repeating: " ", count: width - rule.id.rawValue.count)
                let severity = rule.isOnByDefault ? rule.severity.rawValue : "off"
                let column = severity + String(repeating: " ", count: max(0, 11 - severity.count))
                try StandardStreams.write("\(name)  \(column)  \(rule.summary)\n")
            }
        }
    }

    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says why a rule exists and what to do instead.")

        @Argument(help: "The name of the rule.")
        var rule: String

        func run() throws {
            guard let found = RuleCatalog.all.first(where: { $0.id.rawValue == rule }) else {
                let hint = rule.closest(of: RuleCatalog.all.map(\.id.rawValue)).map { " Did you mean \($0)?" } ?? ""
                throw VerifyError("There is no rule \(rule).\(hint) `axiom-verify rules` lists them.")
            }
            let severity = found.isOnByDefault ? found.severity.rawValue : "\(found.severity.rawValue), off by default"
            try StandardStreams.write("\(found.id.rawValue) (\(severity))\n\n\(found.summary)\n\n\(found.rationale)\n")
            if let mended = found.mended { try StandardStreams.write("\nA fix mends \(mended).\n") }
            try StandardStreams.write("\nSee Documentation/verify-rules.md#\(found.id.rawValue) of Axiom.\n")
            if !found.mayBeBaselined { try StandardStreams.write("\nA baseline cannot accept its findings.\n") }
        }
    }
}

/// `axiom-verify swiftlint-config`.
struct SwiftLintConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftlint-config",
        abstract: "Prints custom rules for SwiftLint under the names of --rule-alias swiftlint."
    )

    func run() throws {
        try StandardStreams.write(SwiftLintConfiguration.text)
    }
}
