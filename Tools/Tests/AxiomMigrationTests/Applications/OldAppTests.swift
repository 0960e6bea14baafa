// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "Applications of old versions",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: ExternalTool.swiftc.mayRun, "\(ExternalTool.swiftc.installation)")
)
struct OldAppTests {
    @Test(
        "Each passes its assertions in its version, is migrated, compiles, passes the same in 1.0, and comes back byte by byte (TL-G1 to TL-G6)",
        arguments: OldApp.allCases
    )
    func life(app: OldApp) async throws {
        let build = try await OldBuild.shared.value
        let before = try await build.run(app)
        #expect(before.status == 0, "\(before.output)")
        let folder = try await app.makeFolder()
        let original = try folder.sources

        let dry = try await folder.migrate("--dry-run", "--from", "0.x", "--to", "1.0", "Sources/")
        #expect(dry.status == 1)
        #expect(dry.output.contains("\n+import Axiom\n"))
        #expect(try folder.sources == original)

        let command = try build.command()
        let run = try await folder.migrate("--from", "0.x", "--to", "1.0", "--build", command, "Sources/")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("The project compiles."))
        #expect(try folder.neighbours == [])
        let after = try await runMigrated(app, folder, build)
        #expect(after.status == 0, "\(after.output)\(after.errors)")
        #expect(after.output == before.output)

        let migrated = try folder.sources
        let again = try await folder.migrate("--allow-dirty", "--build", command, "Sources/")
        #expect(again.status == 0 && again.output.contains("nothing to change"), "\(again.output)\(again.errors)")
        #expect(try folder.sources == migrated)

        let back = try await folder.migrate("--rollback")
        #expect(back.status == 0, "\(back.errors)")
        #expect(try folder.sources == original)
        #expect(!folder.exists(Journal.fileName))
        let second = try await folder.migrate("--build", command, "Sources/")
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        #expect(try folder.sources == migrated)
    }

    /// Compiles the migrated files with a start for 1.0, and runs the program.
    private func runMigrated(_ app: OldApp, _ folder: MigrationFolder, _ build: OldBuild) async throws -> Command.Output
    {
        let program = folder.path("program")
        let sources = try folder.sources.keys.sorted().map(folder.path) + [app.starter]
        let linked = try await Compiler().link(sources, into: program, options: build.search + build.objects)
        guard linked.status == 0 else { return linked }
        defer { try? FileManager.default.removeItem(atPath: program) }
        return try await Command.run(program, [])
    }

    @Test("The version of each file is found by its names", arguments: OldApp.allCases)
    func dialects(app: OldApp) throws {
        let files = try app.files
        let project = RecipeRun(files).project
        for file in files where !file.path.hasSuffix("Checks.swift") {
            #expect(project.dialect(of: file.path).rawValue == app.rawValue, "\(file.path)")
        }
        let migrated = RecipeRun(files).run().changes.map { SourceText(path: $0.path, bytes: $0.new) }
        let old = RecipeRun(migrated).project.counts
        #expect(old.isEmpty, "\(old)")
    }

    @Test(
        "Every migrated application tells what a person has to look at, with a page that exists",
        arguments: OldApp.allCases
    )
    func notes(app: OldApp) throws {
        let outcome = RecipeRun(try app.files).run()
        // The draft had no events and no registry, so that nothing of this application is left.
        #expect(outcome.notes.isEmpty == (app == .draft), "\(outcome.notes)")
        let page = try String(
            contentsOf: Repository.root.appending(path: "Documentation/migrating.md"),
            encoding: .utf8
        )
        for note in outcome.notes {
            let parts = note.page.split(separator: "#")
            try #require(parts.count == 2 && parts[0] == "Documentation/migrating.md")
            #expect(page.contains("<a id=\"\(parts[1])\"></a>"), "\(note.page)")
            let lines = outcome.changes.first { $0.path == note.path }.map {
                SourceText(path: "", bytes: $0.new).lineCount
            }
            #expect(note.line >= 1 && note.line <= lines ?? .max)
        }
        for recipe in Recipe.all { #expect(page.contains("<a id=\"\(recipe.id.rawValue)\"></a>")) }
    }
}
