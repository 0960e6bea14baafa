// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomTestSupport
import Foundation
import Testing

@Suite("The command line of axiom-migrate", .timeLimit(.minutes(10)))
struct CommandLineTests {
    private static let files = [
        "Sources/Cart.swift": """
        import AxiomR3

        actor CartClient: StatefulClient {
            private(set) var state = CartState()
            func send(_ action: CartAction) async throws { state.count += 1 }
        }

        """,
        "README.md": "# Cart\n", "Empty/none.txt": "",
        "Sources/CartState.swift": "struct CartState { var count = 0 }\nenum CartAction { case add }\n",
        "Sources/CartContext.swift": """
        import AxiomR3

        @MainActor
        final class CartContext: Context {
            @Published var count = 0
            private let client: CartClient
            init(client: CartClient) { self.client = client }
        }

        """,
    ]

    @Test("Outside of a repository, and with changes that are not committed, nothing is written (exit 2)")
    func dirty() async throws {
        let folder = try MigrationFolder(Self.files)
        let original = try folder.sources
        let outside = try await folder.migrate("--no-check")
        #expect(outside.status == 2 && outside.errors.contains("not in a git repository"), "\(outside.errors)")
        try await folder.commit()
        try folder.write("// more\n", to: "Sources/More.swift")
        let dirty = try await folder.migrate("--no-check")
        #expect(dirty.status == 2 && dirty.errors.contains("Sources/More.swift has changes"), "\(dirty.errors)")
        try FileManager.default.removeItem(atPath: folder.path("Sources/More.swift"))
        #expect(try folder.sources == original)
        #expect(try await folder.migrate("--no-check").status == 0)
        #expect(try folder.sources != original)
        #expect(
            try await folder.migrate("--no-check").status == 0,
            "the journal is the only other change, and there is nothing to do"
        )
        #expect(try await folder.migrate("--rollback").status == 0)
        #expect(try folder.sources == original)
    }

    @Test(
        "A wrong command line names what is wrong and what to do (exit 2)",
        arguments: [
            (["--to", "2.0"], "there is no such version"), (["--from", "r5"], "Give 0.x, r3, r4 or draft"),
            (["--from", "mvc"], "axiom-migrate analyze --from mvc"), (["README.md"], "README.md is no Swift file"),
            (["Empty"], "no Swift file in Empty"), (["Nowhere"], "\"Nowhere\""),
            (["--rollback"], "nothing to roll back"), (["--rollback", "Sources"], "leave out"), (["../"], "outside of"),
            (["--root", "nowhere"], "is no folder"), (["analyze"], "--from"), (["--minutes", "0"], "1 to 600"),
            (
                ["--build", "nosuchprogram"],
                "nosuchprogram cannot be started (127): name a command with --build, or use --no-check.\n"
            ),
        ]
    )
    func wrong(arguments: [String], words: String) async throws {
        let folder = try MigrationFolder(Self.files)
        try await folder.commit()
        let original = try folder.sources
        let result = try await folder.migrate(arguments)
        #expect(result.status == 2, "\(result.output)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(try folder.sources == original)
        #expect(try folder.neighbours == [])
        let help = try await folder.migrate("migrate", "--help").output
        for option in result.errors.matches(of: /--[a-z][a-z-]*/) {
            #expect(help.contains(option.output), "the error names an option that does not exist")
        }
    }

    @Test("A journal of another version is refused, and the remedy is named (exit 2)")
    func otherJournal() async throws {
        let folder = try MigrationFolder(Self.files)
        let members = #""to": "1.0", "files": [], "recipes": {}, "leftOut": [], "notes": [], "errors": []"#
        try folder.write("{\"schemaVersion\": 2, \(members)}\n", to: Journal.fileName)
        let result = try await folder.migrate("--rollback")
        #expect(result.status == 2)
        let message = """
            axiom-migrate: axiom-migrate.json has schemaVersion 2, and this axiom-migrate reads 1: use the axiom-migrate that \
            wrote it, or commit, and remove it.

            """
        #expect(result.errors == message, "\(result.errors)")
        #expect(folder.exists(Journal.fileName))
    }

    @Test("--help and --version succeed; recipes are listed")
    func help() async throws {
        let folder = try MigrationFolder([:])
        #expect(try await folder.migrate("--help").output.contains("Exit codes"))
        #expect(try await folder.migrate("--version").status == 0)
        #expect(try await folder.migrate("recipes").output.split(separator: "\n").count == Recipe.all.count)
    }

    @Test(
        "A recipe with which the project does not compile is left out where it harms, and the journal says so (exit 3)"
    )
    func bisected() async throws {
        let folder = try MigrationFolder(Self.files)
        try await folder.commit()
        // A compiler that knows no @Observable.
        let build =
            "! grep -n '@Observable' Sources/*.swift || { echo \"$PWD/Sources/CartContext.swift:1:1: error: unknown\"; false; }"
        let result = try await folder.migrate("--build", build)
        #expect(result.status == 3, "\(result.output)\(result.errors)")
        #expect(
            result.output.contains("Sources/CartContext.swift: observable-for-published: left out"),
            "\(result.output)"
        )
        #expect(try folder.read("Sources/CartContext.swift").contains("@Published var count"))
        #expect(try folder.read("Sources/CartContext.swift").contains("ContextScope"))
        #expect(try folder.read("Sources/Cart.swift").contains("StateStore<CartState>"))
        let journal = try #require(try Journal.read(folder.root))
        #expect(
            journal.leftOut == [RecipeRun.Unit(recipe: "observable-for-published", path: "Sources/CartContext.swift")]
        )
        #expect(try folder.neighbours == [])
    }

    @Test("A project that compiles neither before nor after is migrated, and the errors are reported (exit 3)")
    func stillBroken() async throws {
        let folder = try MigrationFolder(Self.files)
        try await folder.commit()
        let result = try await folder.migrate(
            "--build",
            "echo \"$PWD/Sources/Cart.swift:3:1: error: no such module 'AxiomR3'\"; false"
        )
        #expect(result.status == 3)
        #expect(result.output.contains("Sources/Cart.swift:3:1: error: no such module"), "\(result.output)")
        #expect(try folder.read("Sources/Cart.swift").contains("StateStore<CartState>"))
        #expect(try Journal.read(folder.root)?.errors.count == 1)
    }

    @Test("A rollback is refused if a file changed since, and writes nothing (exit 2)")
    func refusedRollback() async throws {
        let folder = try MigrationFolder(Self.files)
        try await folder.commit()
        #expect(try await folder.migrate("--no-check").status == 0)
        try folder.write(try folder.read("Sources/Cart.swift") + "// mine\n", to: "Sources/Cart.swift")
        let migrated = try folder.sources
        let result = try await folder.migrate("--rollback")
        #expect(
            result.status == 2 && result.errors.contains("Changed since the migration: Sources/Cart.swift"),
            "\(result.errors)"
        )
        #expect(try folder.sources == migrated)
        #expect(folder.exists(Journal.fileName))
    }

    @Test("Files are rolled back byte by byte, whatever they contain", arguments: ["\r\n", "\n"])
    func bytes(lineEnd: String) async throws {
        let text = "\u{FEFF}" + (Self.files["Sources/Cart.swift"] ?? "").replacing("\n", with: lineEnd)
        let folder = try MigrationFolder(["Sources/Cart.swift": text])
        // A byte that is no UTF-8, in a comment.
        try folder.write(Data(text.utf8) + Data("// ".utf8) + Data([0xFF, 0x0A]), to: "Sources/Cart.swift")
        try await folder.commit()
        let original = try folder.sources
        #expect(try await folder.migrate("--no-check").status == 0)
        #expect(try folder.sources != original)
        #expect(try folder.sources["Sources/Cart.swift"]?.suffix(5) == original["Sources/Cart.swift"]?.suffix(5))
        #expect(try await folder.migrate("--rollback").status == 0)
        #expect(try folder.sources == original)
    }
}
