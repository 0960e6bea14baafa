// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Wrong use")
struct WrongUseTests {
    /// What is typed, with `DIR` for a folder of its own; how it ends; and words of the message: the input, and the
    /// remedy.
    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let status: Int32
        let words: [String]
        var environment: [String: String] = [:]

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let cases: [Case] = [
        Case(arguments: ["--suite", "string"], status: 2, words: ["no suite \"string\"", "choose from odd, strings"]),
        Case(arguments: ["--filter", "a(b"], status: 2, words: ["--filter", "a(b", "\\"]),
        Case(arguments: ["--filter", "zzz"], status: 2, words: ["--filter zzz", "see list"]),
        Case(arguments: ["--min-effect", "2 percent"], status: 2, words: ["2 percent", "as 2% or 0.02"]),
        Case(arguments: ["--budget", "0"], status: 2, words: ["--budget is 0", "as 60s or 5m"]),
        Case(arguments: ["--budget", "0s"], status: 2, words: ["--budget is 0s", "as 60s or 5m"]),
        Case(arguments: ["--metrics", "wall,walls"], status: 2, words: ["\"walls\"", "choose from wall, cpu"]),
        Case(arguments: ["--format", "xml"], status: 2, words: ["'xml'", "junit"]),
        Case(arguments: ["--cmd", "", "--cmd", "true"], status: 2, words: ["--cmd is empty", "the old and the new"]),
        Case(arguments: ["--cmd", "true", "--cmd", " "], status: 2, words: ["--cmd is empty", "the old and the new"]),
        Case(arguments: ["--goals", "--baseline"], status: 2, words: ["--goals", "leave out --baseline"]),
        Case(arguments: ["--goals", "--save", "DIR/a.json"], status: 2, words: ["--goals", "leave out", "--save"]),
        Case(arguments: ["--goals", "--metrics", "wall"], status: 2, words: ["--goals", "leave out", "--metrics"]),
        Case(arguments: ["--goals", "--filter", "zzz"], status: 2, words: ["--filter zzz", "see list"]),
        Case(arguments: ["frobnicate"], status: 2, words: ["frobnicate", "sample-benchmarks"]),
        Case(arguments: ["baseline", "accept", "DIR/a.json"], status: 2, words: ["--reason"]),
        Case(
            arguments: ["--baseline", "no-such", "--package-path", "DIR/versioned"],
            status: 4,
            words: ["no-such is no file", "no revision of", "git branch --all"]
        ),
        Case(
            arguments: ["--baseline", "origin/no-such", "--package-path", "DIR/versioned"],
            status: 4,
            words: ["origin/no-such", "git fetch"]
        ),
        Case(
            arguments: ["--baseline", "main", "--package-path", "DIR/plain"],
            status: 4,
            words: ["main", "no version control", "--save"]
        ),
        Case(
            arguments: ["--baseline", "main", "--package-path", "DIR/versioned"],
            status: 4,
            words: ["main", "apt-get install git"],
            environment: ["PATH": "/nowhere"]
        ),
        Case(
            arguments: ["--baseline", "main", "--package-path", "DIR/nowhere/at/all"],
            status: 2,
            words: ["nowhere/at/all", "--package-path"]
        ),
        Case(arguments: ["--baseline", "DIR/notes.txt"], status: 4, words: ["notes.txt"]),
        Case(arguments: ["--baseline", "DIR"], status: 4, words: ["is a folder", "name a file"]),
        Case(arguments: ["--baseline", "DIR/none.json"], status: 4, words: ["none.json", "--save"]),
        Case(arguments: ["compare", "DIR", "DIR"], status: 4, words: ["give the path of a file"]),
        Case(arguments: ["compare", "DIR/none.json", "DIR/none.json"], status: 4, words: ["none.json", "record one"]),
        Case(arguments: ["--save", "DIR/"], status: 4, words: ["is a folder", "name a file"]),
        Case(arguments: ["--save", "DIR/notes.txt"], status: 4, words: ["notes.txt"]),
        Case(arguments: ["--save", "DIR/notes.txt/a.json"], status: 4, words: ["notes.txt", "is no folder"]),
        Case(arguments: ["--output", "DIR/"], status: 2, words: ["--output", "is a folder"]),
        Case(arguments: ["--output", "DIR/notes.txt/a"], status: 2, words: ["--output", "notes.txt", "is no folder"]),
        Case(arguments: ["--report", "xml=a"], status: 2, words: ["--report is xml=a", "FORMAT=PATH", "junit"]),
        Case(arguments: ["--report", "junit"], status: 2, words: ["--report is junit", "FORMAT=PATH"]),
        Case(arguments: ["--report", "junit=DIR/"], status: 2, words: ["--report", "is a folder"]),
        Case(
            arguments: ["baseline", "accept", "DIR/notes.txt/a.json", "--reason", "r"],
            status: 4,
            words: ["notes.txt", "is no folder"]
        ),
        Case(arguments: ["history", "--package-path", "DIR/plain"], status: 4, words: ["plain", "--save NAME"]),
        Case(arguments: ["list", "--budget", "1e9999s"], status: 2, words: ["--budget is 1e9999s", "60s"]),
        Case(arguments: ["list", "--budget", "infs"], status: 2, words: ["--budget is infs", "60s"]),
    ]

    @Test("Gives a message that names the input and the remedy, and its exit code", arguments: cases)
    func messages(_ wrong: Case) async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        for name in ["plain", "versioned"] {
            let folder = sample.folder.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data().write(to: folder.appending(path: "Package.swift"))
        }
        if wrong.testDescription.contains("versioned") { try await commit(in: sample.path("versioned")) }
        try Data("notes".utf8).write(to: sample.folder.appending(path: "notes.txt"))
        let arguments = wrong.arguments.map { $0.replacingOccurrences(of: "DIR", with: sample.folder.path) }
        let output = try await sample.run(arguments, wrong.environment)
        #expect(output.status == wrong.status, "\(output.output) \(output.errors)")
        #expect(output.errors.hasPrefix("error: "), "\(output.errors)")
        for words in wrong.words { #expect(output.errors.contains(words), "\(output.errors)") }
        // Nothing was measured before the mistake was found.
        #expect(output.output.isEmpty, "\(output.output)")
        #expect(try String(contentsOfFile: sample.path("notes.txt"), encoding: .utf8) == "notes")
    }

    private func commit(in folder: String) async throws {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
        for arguments in [["init", "-q", "-b", "main"], ["add", "-A"], identity + ["commit", "-qm", "The first"]] {
            let output = try await Command.run("/usr/bin/env", ["git", "-C", folder] + arguments)
            #expect(output.status == 0, "\(output.errors)")
        }
    }

    @Test(
        "A folder without write permission is reported before the measurement",
        .enabled(if: ExternalTool.unprivilegedUser.mayRun, "\(ExternalTool.unprivilegedUser.installation)")
    )
    func permission() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        #expect(chmod(sample.folder.path, 0o500) == 0)
        defer { chmod(sample.folder.path, 0o700) }
        for (option, status) in [("--save", 4 as Int32), ("--output", 2)] {
            let words = Privileges.bound + [try SampleProgram.executable, option, sample.path("a.json")]
            let output = try await Command.run("/usr/bin/env", words)
            #expect(output.status == status)
            #expect(output.errors.contains("Permission denied"), "\(output.errors)")
            #expect(output.output.isEmpty)
        }
    }

    @Test("One run writes several reports, each in its format")
    func severalReports() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let others = ["--report", "junit=\(sample.path("new/junit.xml"))", "--report", "csv=-"]
        let run = ["--filter", "answer", "--metrics", "value", "--output", sample.path("report.txt")]
        let output = try await sample.run(run + others)
        #expect(output.status == 0, "\(output.errors)")
        #expect(try String(contentsOfFile: sample.path("new/junit.xml"), encoding: .utf8).contains("<testsuite "))
        #expect(output.output.hasPrefix("benchmark,metric,unit,"), "\(output.output)")
        #expect(try String(contentsOfFile: sample.path("report.txt"), encoding: .utf8).contains("strings/answer"))
    }

    @Test("A device takes a report, and stays a device")
    func device() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let pipe = sample.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        // Opened for reading and writing, so that the open does not wait for the other side.
        let reader = try FileHandle(forUpdating: URL(filePath: pipe))
        let output = try await sample.run(["--filter", "answer", "--metrics", "value", "--output", pipe])
        #expect(output.status == 0, "\(output.errors)")
        #expect(String(decoding: reader.availableData, as: UTF8.self).contains("strings/answer"))
        var status = stat()
        #expect(stat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("Benchmarks to which goals refer are measured as well, but not saved")
    func references() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let chosen = ["--filter", "twice", "--metrics", "wall"]
        let output = try await sample.run(chosen)
        #expect(output.status == 0, "\(output.errors)")
        #expect(output.output.contains("at most 100 × strings/allocate"))
        let file = sample.path("base.json")
        #expect(try await sample.run(chosen + ["--save", file]).status == 0)
        let other = try await sample.run(["--baseline", file, "--filter", "twice", "--metrics", "allocations"])
        #expect(other.status == 3 && other.output.contains("judged 0 of"), "\(other.output)")
        #expect(!(try String(contentsOfFile: file, encoding: .utf8)).contains("strings/allocate"))
    }
}
