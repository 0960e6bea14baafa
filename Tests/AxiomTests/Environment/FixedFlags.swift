// SPDX-License-Identifier: Apache-2.0

import Axiom

/// A source of flags with fixed rules.
struct FixedFlags: FlagSource {
    let name: String
    private let rules: [String: FlagRule]

    /// - Parameter rules: The text of each flag's rule, by the name of the flag.
    init(_ rules: [String: String], name: String = "fixed") {
        self.name = name
        self.rules = rules.mapValues { FlagRule($0) }
    }

    func rule(for flag: String) -> FlagRule? { rules[flag] }
}
