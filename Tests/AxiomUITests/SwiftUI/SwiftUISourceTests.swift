// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The SwiftUI bindings, which Linux cannot build", .serialized, .timeLimit(.minutes(10)))
struct SwiftUISourceTests {
    private static let bash = ExternalTool(installation: "bash is missing: apt-get install bash", path: "/bin/bash")
    private let script = Repository.root.appending(path: "Scripts/parse-swiftui").path
    private let module = Repository.root.appending(path: "Sources/AxiomUI").resolvingSymlinksInPath()

    @Test("They parse (UI-03)", .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing"))
    func parse() async throws {
        let result = try await Self.bash.run([script])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(
        "Their types fit Axiom's modules and a stand-in for SwiftUI (UI-03, UI-04, UI-05, UI-06, UI-07, UI-08)",
        .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing")
    )
    func types() async throws {
        let result = try await Self.bash.run([script, "--types", try BuildFolder().url.path])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(
        "A mistake in the inactive part of a file is found (UI-03)",
        .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing"),
        arguments: [
            ("Text(verbatim: error.title)", "Text(verbatim: error.title", false, "error: expected"),
            ("boundary.choose($0, of: error)", "boundary.choose($0)", true, "error: cannot convert"),
        ]
    )
    func planted(text: String, mistake: String, needsTypes: Bool, message: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.copyItem(at: module, to: folder)
        let file = folder.appending(path: "SwiftUI/ErrorView.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        try #require(source.contains(text))
        try Data(source.replacing(text, with: mistake).utf8).write(to: file)
        let types = needsTypes ? ["--types", try BuildFolder().url.path] : []
        let result = try await Self.bash.run([script] + types + [folder.path])
        #expect(result.status != 0)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test("A file without the condition, or a folder without files, is refused (UI-03)")
    func incomplete() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "SwiftUI"),
            withIntermediateDirectories: true
        )
        #expect(try await Self.bash.run([script, folder.path]).status == 2)
        try Data("import SwiftUI\n".utf8).write(to: folder.appending(path: "SwiftUI/A.swift"))
        #expect(try await Self.bash.run([script, folder.path]).status == 1)
    }
}
