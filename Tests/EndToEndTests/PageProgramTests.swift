// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

/// The program of a page in Documentation, compiled in a folder of its own, and the session that the page shows.
private struct PageProgram {
    let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
    let session: String
    var path: String { folder.appending(path: "program").path }

    init(_ page: String) async throws {
        let file = Repository.root.appending(path: "Documentation/\(page).md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let code = try #require(text.firstMatch(of: #/(?s)```swift\n(.*?)```/#)).1
        session = String(try #require(text.firstMatch(of: #/(?s)```text\n(.*?)```/#)).1)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let source = folder.appending(path: "Page.swift")
        try Data(code.utf8).write(to: source)
        let built = try await Compiler().link([source.path], into: path, options: ["-parse-as-library"])
        try #require(built.status == 0 && built.errors.isEmpty, "\(built.errors)")
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}

@Suite("The programs of the pages on a command line, a terminal and an app", .timeLimit(.minutes(10)))
struct PageProgramTests {
    @Test("The command prints what its page says, and has the exit codes of its page")
    func command() async throws {
        let page = try await PageProgram("cli")
        defer { page.remove() }
        let entries = page.session.components(separatedBy: "$ ").dropFirst()
        try #require(entries.count == 4)
        for entry in entries {
            let lines = entry.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            let command = lines[0].replacing("swift run -q Words", with: page.path)
            let run = try await Command.run("/bin/sh", ["-c", "cd \(page.folder.path); exec 2>&1; \(command)"])
            #expect(run.output == lines[1], "\(lines[0])")
        }
    }

    @Test("The terminal application draws the screens of its page, line by line")
    func terminal() async throws {
        let page = try await PageProgram("tui")
        defer { page.remove() }
        let fifo = page.folder.appending(path: "input")
        try #require(mkfifo(fifo.path, 0o600) == 0)
        let run = try RunningProgram("/bin/sh", ["-c", "exec \(page.path) < \(fifo.path)"])
        defer { run.signal(SIGKILL) }
        let input = try FileHandle(forWritingTo: fifo)
        var (entered, drawn) = (["buy tea", "7"], "")
        for line in page.session.split(separator: "\n") {
            if entered.first.map({ $0 == line }) == true {
                try input.write(contentsOf: Data("\(entered.removeFirst())\n".utf8))
            } else {
                drawn += "\(line)\n"
                try await run.firstLine("\(line)") { $0 == line ? () : nil }
            }
        }
        try input.close()
        #expect(await run.exitCode() == 0)
        #expect(entered.isEmpty && run.output == drawn)
    }

    @Test("The app without its views prints what its page says")
    func app() async throws {
        let page = try await PageProgram("apple")
        defer { page.remove() }
        #expect(try await Command.run(page.path, []).output == page.session)
    }
}
