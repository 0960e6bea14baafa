// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomSyntax
import Testing

@Suite("Which types a base class of the project keeps from being migrated")
struct DeclaredBaseTests {
    /// A context of the draft, beside a base class of the project.
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var path = "Sources/App/Base.swift"
        var declaration = "class BaseContext {}"
        var imports = ""
        var base = "BaseContext"

        /// Migrates both: the new text of the context, and the reasons of the notes.
        func migrate() throws -> (text: String, notes: [String]) {
            let context = "class ListContext: \(base) { override func viewDidAppear() {} }"
            let files = ["Sources/App/List.swift": "import AxiomDraft\n\(imports)\n\(context)\n", path: declaration]
            let outcome = RecipeRun(files.map { SourceText(path: $0, bytes: Array($1.utf8)) }).run()
            let change = try #require(outcome.changes.first { $0.path == "Sources/App/List.swift" })
            #expect(outcome.changes.count == 1, "\(outcome.diff)")
            return (String(decoding: change.new, as: UTF8.self), outcome.notes.map(\.reason))
        }
    }

    @Test(
        "A type is migrated if the plain name of its base is not that of the project in its file",
        arguments: [
            Sample(testDescription: "another module", path: "Sources/Net/Base.swift"),
            Sample(
                testDescription: "an internal class of an import",
                path: "Sources/Net/Base.swift",
                imports: "import Net"
            ),
            Sample(testDescription: "a test", path: "Tests/AppTests/Base.swift"),
            Sample(testDescription: "private in another file", declaration: "private class BaseContext {}"),
            Sample(testDescription: "fileprivate in another file", declaration: "fileprivate class BaseContext {}"),
            Sample(testDescription: "qualified", base: "AxiomDraft.BaseContext"),
        ]
    )
    func migrated(sample: Sample) throws {
        let (text, notes) = try sample.migrate()
        #expect(text.contains("class ListContext: Context {"), "\(text)")
        #expect(text.contains("func onAppear()"), "\(text)")
        #expect(notes.isEmpty, "\(notes)")
    }

    @Test(
        "A type stays if its base is that of the project, and a note says so",
        arguments: [
            Sample(testDescription: "the same module"),
            Sample(testDescription: "a package with one target", path: "Sources/Base.swift"),
            Sample(
                testDescription: "a public class of an import",
                path: "Sources/my-net/Base.swift",
                declaration: "open class BaseContext {}",
                imports: "import my_net"
            ),
            Sample(
                testDescription: "an internal class of a testable import",
                path: "Sources/Net/Base.swift",
                imports: "@testable import Net"
            ),
        ]
    )
    func kept(sample: Sample) throws {
        let (text, notes) = try sample.migrate()
        #expect(text.contains("class ListContext: BaseContext { override func viewDidAppear() {} }"), "\(text)")
        let note =
            "ListContext was left, because the project declares BaseContext itself: if Axiom's is meant, write "
            + "Axiom.BaseContext."
        #expect(notes == [note])
    }

    @Test("A private base is that of the types in its own file")
    func privateBase() {
        let text = "import AxiomDraft\nprivate class BaseContext {}\nprivate class Fake: BaseContext {}\n"
        let file = SourceText(path: "Sources/App/Fake.swift", bytes: Array(text.utf8))
        let outcome = RecipeRun([file]).run()
        let new = outcome.changes.first.map { String(decoding: $0.new, as: UTF8.self) }
        #expect(new == text.replacing("AxiomDraft", with: "Axiom"))
        #expect(outcome.notes.map(\.line) == [3], "\(outcome.notes)")
    }

    @Test("A capability becomes an actor beside a class of another module that is called as its base")
    func capability() throws {
        let capability = "import AxiomDraft\nfinal class Camera: BaseCapability {}\n"
        let files = ["Sources/App/Camera.swift": capability, "Sources/Net/Base.swift": "class BaseCapability {}\n"]
        let outcome = RecipeRun(files.map { SourceText(path: $0, bytes: Array($1.utf8)) }).run()
        let change = try #require(outcome.changes.first)
        #expect(String(decoding: change.new, as: UTF8.self).contains("actor Camera: Capability"), "\(outcome.diff)")
    }
}
