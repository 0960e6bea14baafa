// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// Runs the recipes over the files of a project, in memory.
package struct RecipeRun: Sendable {
    /// A recipe in a file: what can be left out.
    package struct Unit: Sendable, Hashable, Comparable, Codable {
        package var recipe: String
        package var path: String

        package init(recipe: String, path: String) {
            self.recipe = recipe
            self.path = path
        }

        package static func < (left: Unit, right: Unit) -> Bool {
            (left.path, left.recipe) < (right.path, right.recipe)
        }
    }

    /// A file that changed.
    package struct Change: Sendable, Hashable {
        package var path: String
        package var old: [UInt8]
        package var new: [UInt8]

        package var diff: UnifiedDiff { UnifiedDiff(path: path, from: old, to: new) }
    }

    /// What became of the files.
    package struct Outcome: Sendable {
        /// In order of paths.
        package var changes: [Change] = []
        /// What is left to do by hand; lines count in the files as they are after the run.
        package var notes: [ManualNote] = []
        /// The recipes that edited something, in the order in which they ran.
        package var applied: [Unit] = []
        /// How many edits each recipe made.
        package var counts: [String: Int] = [:]

        /// The changes in the form of `diff -u`.
        package var diff: String { changes.map(\.diff.text).joined() }
    }

    package let project: MigrationFacts
    private let files: [ParsedFile]
    private let recipes: [Recipe]

    /// - Parameters:
    ///   - dialect: The version of all files that are not written for 1.0; nil to detect it for each file.
    ///   - recipes: The recipes to run, in this order.
    package init(_ files: [SourceText], dialect: Dialect? = nil, recipes: [Recipe] = Recipe.all) {
        self.files = files.map(ParsedFile.init).sorted { $0.path < $1.path }
        self.recipes = recipes
        project = MigrationFacts(self.files, dialect: dialect)
    }

    /// Runs each recipe over each file, except where one is left out.
    package func run(without excluded: Set<Unit> = []) -> Outcome {
        var outcome = Outcome()
        for file in files {
            var current = MigratedFile(file)
            guard file.parses else {
                outcome.notes.append(unparsed(file))
                continue
            }
            for recipe in project.usesAxiom ? recipes : [] {
                let unit = Unit(recipe: recipe.id.rawValue, path: file.path)
                guard !excluded.contains(unit) else { continue }
                let count = current.apply(recipe, in: project)
                guard count > 0 else { continue }
                outcome.applied.append(unit)
                outcome.counts[unit.recipe, default: 0] += count
            }
            outcome.notes += current.notes
            guard current.file.text.bytes != file.text.bytes else { continue }
            outcome.changes.append(Change(path: file.path, old: file.text.bytes, new: current.file.text.bytes))
        }
        outcome.notes.sort { ($0.path, $0.line, $0.recipe, $0.reason) < ($1.path, $1.line, $1.recipe, $1.reason) }
        return outcome
    }

    private func unparsed(_ file: ParsedFile) -> ManualNote {
        ManualNote(
            path: file.path,
            line: 1,
            recipe: "parser",
            reason: "The file does not parse, so no recipe changes it: mend it, and run again.",
            page: "Documentation/migrating.md#the-tool"
        )
    }
}

/// A file between recipes.
private struct MigratedFile {
    private(set) var file: ParsedFile
    private var placed: [(note: ManualNote, offset: Int)] = []

    init(_ file: ParsedFile) {
        self.file = file
    }

    /// The notes with their lines in the file as it is now.
    var notes: [ManualNote] {
        placed.map { note, offset in
            var note = note
            note.line = file.text.position(of: offset).line
            return note
        }
    }

    /// - Returns: How many edits the recipe made.
    mutating func apply(_ recipe: Recipe, in project: MigrationFacts) -> Int {
        let (edits, notes) = recipe.run(on: file, in: project)
        let found = notes.map { note in (note: note.note, offset: note.offset) }
        var list = EditList()
        let bytes = file.text.bytes
        guard !edits.isEmpty, list.add(edits, to: bytes.count) else {
            placed += found
            return 0
        }
        let new = ParsedFile(SourceText(path: file.path, bytes: list.applied(to: bytes)))
        guard new.parses else {
            let reason =
                "With the recipe \(recipe.id.rawValue) the file would not parse, so it was left out: do it by hand."
            var note = ManualNote(path: file.path, line: 1, recipe: recipe.id.rawValue, reason: reason, page: "")
            note.page = "Documentation/migrating.md#" + recipe.id.rawValue
            placed.append((note, edits.first?.range.lowerBound ?? 0))
            return 0
        }
        placed = (placed + found).map { ($0.note, Self.moved($0.offset, by: list.edits)) }
        file = new
        return edits.count
    }

    /// Where a place is after edits. A place inside of an edit moves to its begin.
    private static func moved(_ offset: Int, by edits: [Edit]) -> Int {
        var shift = 0
        for edit in edits {
            if edit.range.upperBound <= offset {
                shift += edit.replacement.utf8.count - edit.range.count
            } else if edit.range.lowerBound <= offset {
                return edit.range.lowerBound + shift
            }
        }
        return offset + shift
    }
}
