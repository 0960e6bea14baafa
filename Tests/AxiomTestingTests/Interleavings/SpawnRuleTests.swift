// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("Where Axiom begins tasks (28)")
struct SpawnRuleTests {
    /// The modules whose work a test can schedule.
    private static let modules = ["Axiom", "AxiomNavigation", "AxiomResilience", "AxiomStorage", "AxiomUI/Models"]

    @Test("Each task that Axiom begins inherits the executor of a test", arguments: modules)
    func inherits(_ module: String) throws {
        let folder = Repository.root.appending(path: "Sources/\(module)")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        #expect(files.isEmpty == false)
        for file in files {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for start in Self.starts(in: text) where !Self.inherits(start) {
                Issue.record("\(module)/\(file): \(start.prefix(60)) See InheritedExecutor.swift.")
            }
        }
    }

    /// The text from each beginning of a task, 200 characters long.
    private static func starts(in text: String) -> [Substring] {
        let begin = /\bTask(<[^>\n]*>+)?(\.(detached|immediate|immediateDetached))?\s*[({]/
        return text.matches(of: begin).compactMap { match in
            let line =
                text[..<match.range.lowerBound].split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
            guard !line.contains("//"), !line.hasSuffix("-> "), !line.hasSuffix("extension ") else { return nil }
            return text[match.range.lowerBound...].prefix(200)
        }
    }

    private static func inherits(_ start: Substring) -> Bool {
        start.prefix { $0 != "{" }.contains("executorPreference: inheritedExecutor")
    }

    @Test("The check finds each way to begin a task")
    func finds() {
        let samples = [
            "Task { }", "Task {\n}", "Task.detached(priority: .low) { }", "Task(operation: body)",
            "Task<Int, Never> { 1 }",
        ]
        for sample in samples { #expect(Self.starts(in: sample).contains { !Self.inherits($0) }, "\(sample)") }
        let good = [
            "Task(executorPreference: inheritedExecutor) { }",
            "Task.immediateDetached(\n executorPreference: inheritedExecutor,",
        ]
        for sample in good { #expect(Self.starts(in: sample).allSatisfy(Self.inherits), "\(sample)") }
        #expect(Self.starts(in: "let task: Task<Void, Never>\n// Task { }\nTask.onMainActor { }").isEmpty)
        #expect(Self.starts(in: "func begin() -> Task<Int, Never> {\nextension Task {").isEmpty)
    }

    @Test("No lock that the thread sanitizer does not understand is used")
    func sanitized() throws {
        let folder = Repository.root.appending(path: "Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        for file in files {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for line in text.split(separator: "\n") where line.contains(/\bMutex[<(]/) {
                if line.contains("//") == false { Issue.record("\(file): \(line)") }
            }
        }
    }
}
