// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomSyntax
import Testing

@Suite("Code without Axiom whose names look like those of Axiom")
struct StrangerTests {
    private static let http = """
        import Foundation

        protocol Client { func dispatch(_ request: Int) }
        protocol Context {}
        final class ApiClient: Client {
            func dispatch(_ request: Int) { DispatchQueue.main.async { } }
        }
        final class RequestContext: Context {
            let client: ApiClient
            init(client: ApiClient) { self.client = client }
            func go() { client.dispatch(1) }
        }

        """
    private static let machine = """
        import Foundation

        /// A state machine without Axiom.
        protocol State {}
        struct Idle: State { var count = 0 }
        final class Machine {
            func dispatch(_ event: Int) { updateState(Idle()) }
            func updateState(_ state: any State) {}
        }

        """
    private static let doubles = """
        protocol Capability {}
        protocol MockCapability: Capability {}
        class BaseContext {}
        final class Screen: BaseContext { func viewDidAppear() {} }

        """
    private static let files = [
        text("Sources/Http.swift", http), text("Sources/Machine.swift", machine),
        text("Sources/Doubles.swift", doubles),
    ]

    private static func text(_ path: String, _ text: String) -> SourceText {
        SourceText(path: path, bytes: Array(text.utf8))
    }

    /// A file in the folder of a module.
    private static func moved(_ file: SourceText, to module: String) -> SourceText {
        SourceText(path: file.path.replacing("Sources/", with: "Sources/\(module)/"), bytes: file.bytes)
    }

    @Test(
        "Types that inherit what the project declares itself stay, for each --from, and are named if their file is old",
        arguments: [nil, Dialect.draft, .r3]
    )
    func declared(dialect: Dialect?) {
        // Another file of the project has Axiom.
        let axiom = Self.text("Sources/App.swift", "import Axiom\n")
        for files in [Self.files, Self.files + [axiom]] {
            let outcome = RecipeRun(files, dialect: dialect).run()
            #expect(outcome.changes.isEmpty, "\(outcome.diff)")
            let left = outcome.notes.compactMap { $0.reason.split(separator: " was left, because").first }
            let expected = ["Screen", "ApiClient", "RequestContext", "Idle"]
            #expect(left.map(String.init) == (dialect == nil ? [] : expected), "\(outcome.notes)")
        }
    }

    @Test(
        "They stay beside an application of an old version, and the application is migrated as it is without them",
        arguments: OldApp.allCases
    )
    func beside(app: OldApp) throws {
        let files = try app.files.map { Self.moved($0, to: "App") }
        let strangers = Self.files.map { Self.moved($0, to: "Networking") }
        let run = RecipeRun(files + strangers)
        for file in strangers { #expect(run.project.dialect(of: file.path) == .none, "\(file.path)") }
        let (alone, outcome) = (RecipeRun(files).run(), run.run())
        #expect(!alone.changes.isEmpty)
        #expect(outcome.changes == alone.changes, "\(outcome.diff)")
        #expect(outcome.notes == alone.notes, "\(outcome.notes)")
    }

    @Test("A project in which no file imports Axiom is left, unless the version is given")
    func withoutImport() {
        let files = [
            Self.text("Sources/Screen.swift", "final class Screen: BaseContext { override func viewDidAppear() {} }\n")
        ]
        let found = RecipeRun(files)
        #expect(found.project.counts.isEmpty)
        let outcome = found.run()
        #expect(outcome.changes.isEmpty)
        let report = MigrationReport(outcome, of: found.project).text
        #expect(
            report
                == "nothing to change: no file imports Axiom; --from r3, r4 or draft names the version of the code\n"
        )
        #expect(!RecipeRun(files, dialect: .draft).run().changes.isEmpty)
        let axiom = Self.text("Sources/App.swift", "import Axiom\n")
        #expect(RecipeRun(files + [axiom]).project.counts == [.draft: 1])
    }

    @Test(
        "A name that other code has too says draft only beside a type of the framework",
        arguments: [("final class Bus {", Dialect.none), ("final class Bus: Context {", .draft)]
    )
    func commonNames(head: String, dialect: Dialect) {
        let file = Self.text("Sources/Bus.swift", "import Axiom\n\(head) func dispatch(_ event: Int) {} }\n")
        #expect(RecipeRun([file]).project.dialect(of: file.path) == dialect)
    }
}
