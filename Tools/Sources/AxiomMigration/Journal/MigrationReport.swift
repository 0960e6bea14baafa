// SPDX-License-Identifier: Apache-2.0

/// What a migration did and what it left, for people.
package struct MigrationReport {
    private let outcome: RecipeRun.Outcome
    private let project: MigrationFacts
    private let excluded: Set<RecipeRun.Unit>
    private let build: WorkingCopy.Build?
    private let isDryRun: Bool

    package init(
        _ outcome: RecipeRun.Outcome,
        of project: MigrationFacts,
        excluded: Set<RecipeRun.Unit> = [],
        build: WorkingCopy.Build? = nil,
        isDryRun: Bool = false
    ) {
        self.outcome = outcome
        self.project = project
        self.excluded = excluded
        self.build = build
        self.isDryRun = isDryRun
    }

    /// The lines of the report. Each note is `path:line: recipe: reason (Axiom's page)`, as compilers write.
    package var text: String {
        (dialects + recipes + files + leftOut + notes + errors).map { $0 + "\n" }.joined()
    }

    private var dialects: [String] {
        project.counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { dialect, count in
            "\(count) \(count == 1 ? "file is" : "files are") written for \(dialect.rawValue)"
        }
    }

    private var recipes: [String] {
        Recipe.all.compactMap { recipe in
            outcome.counts[recipe.id.rawValue].map { "\(recipe.id.rawValue): \($0) edit\($0 == 1 ? "" : "s")" }
        }
    }

    private var files: [String] {
        guard !outcome.changes.isEmpty else {
            let reason = ": no file imports Axiom; --from r3, r4 or draft names the version of the code"
            return ["nothing to change" + (project.usesAxiom ? "" : reason)]
        }
        let count = outcome.changes.count
        return ["\(count) file\(count == 1 ? "" : "s") \(isDryRun ? "would change" : "changed")"]
    }

    private var leftOut: [String] {
        excluded.sorted().map { unit in
            "\(unit.path): \(unit.recipe): left out, because the project does not compile with it "
                + "(Axiom's Documentation/migrating.md#\(unit.recipe))"
        }
    }

    private var notes: [String] {
        guard !outcome.notes.isEmpty else { return [] }
        return ["", "To do by hand:"]
            + outcome.notes.map { "\($0.path):\($0.line): \($0.recipe): \($0.reason) (Axiom's \($0.page))" }
    }

    private var errors: [String] {
        guard let build else { return [] }
        guard !build.succeeded else { return ["", "The project compiles."] }
        let lines = build.errors.isEmpty ? build.tail.split(separator: "\n").map(String.init) : build.errors
        return ["", "The project does not compile yet:"] + lines
    }
}
