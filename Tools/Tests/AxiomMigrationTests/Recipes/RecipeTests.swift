// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomSyntax
import Testing

@Suite("Recipes")
struct RecipeTests {
    @Test("A recipe changes its sample, and changes nothing the second time", arguments: RecipeSample.all)
    func changes(sample: RecipeSample) throws {
        let change = try #require(try sample.run(sample.old).changes.first)
        let text = String(decoding: change.new, as: UTF8.self)
        let diff = UnifiedDiff(path: "expected", from: Array(sample.new.utf8), to: change.new).text
        #expect(text == sample.new, "\(diff)")
        #expect(try sample.run(text).changes.isEmpty)
    }

    @Test("It leaves what only looks similar, and says why where a person has to act", arguments: RecipeSample.all)
    func leaves(sample: RecipeSample) throws {
        let outcome = try sample.run(sample.untouched)
        #expect(outcome.changes.isEmpty, "\(outcome.diff)")
        if let note = sample.note {
            #expect(
                outcome.notes.contains { $0.reason.contains(note) && $0.recipe == sample.recipe },
                "\(outcome.notes)"
            )
        }
    }

    @Test("Every recipe has a sample and a name of its own")
    func complete() {
        #expect(Recipe.all.count == 18)
        #expect(Set(Recipe.all.map(\.id.rawValue)) == Set(RecipeSample.all.map(\.recipe)))
    }

    @Test("A file that does not parse is left, and the report says so")
    func broken() {
        let text = "actor CartClient: StatefulClient {\n    func send(_ action: {\n"
        let outcome = RecipeRun([SourceText(path: "a.swift", bytes: Array(text.utf8))]).run()
        #expect(outcome.changes.isEmpty)
        #expect(outcome.notes.map(\.recipe) == ["parser"])
    }

    @Test("Files of 1.0 and files without Axiom are left")
    func current() {
        let texts = [
            "import Axiom\nactor A: Client, Component {\n let identity: ComponentIdentity\n init(_ scope: borrowing ClientScope) {}\n}\n",
            "struct State { var id = 1 }\nfinal class Context { func send(_ text: String) {} }\n", "",
        ]
        let files = texts.enumerated().map { SourceText(path: "\($0.offset).swift", bytes: Array($0.element.utf8)) }
        let outcome = RecipeRun(files).run()
        #expect(outcome.changes.isEmpty, "\(outcome.diff)")
        #expect(outcome.notes.isEmpty)
    }
}
