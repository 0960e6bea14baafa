// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("The command line of a program of benchmarks")
struct ExitCodeTests {
    private static let counts = ["--filter", "allocate|answer", "--metrics", "allocations,bytes,value"]

    @Test("Exits 0 when counts are those of the file, and 1, naming benchmark and metric, when one allocation is added")
    func allocations() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let file = program.path("base.json")
        #expect(try await program.run(Self.counts + ["--save", file]).status == 0)
        #expect(try await program.run(Self.counts + ["--baseline", file]).status == 0)
        let worse = try await program.run(Self.counts + ["--baseline", file], ["SAMPLE_ALLOCATIONS": "2"])
        #expect(worse.status == 1)
        let line = try #require(worse.output.split(separator: "\n").first { $0.contains("regression") })
        #expect(line.contains("strings/allocate") && line.contains("allocations"))
        // Lenience is for doubt, not for what is certain.
        #expect(
            try await program.run(Self.counts + ["--lenient", "--baseline", file], ["SAMPLE_ALLOCATIONS": "2"]).status
                == 1
        )
    }

    @Test("Exits 0 on an improvement, and says so")
    func improvement() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let file = program.path("base.json")
        #expect(try await program.run(Self.counts + ["--save", file], ["SAMPLE_ALLOCATIONS": "3"]).status == 0)
        let better = try await program.run(Self.counts + ["--baseline", file])
        #expect(better.status == 0)
        #expect(better.output.contains("improvement"))
    }

    @Test(
        "Exits 2 on a wrong command line, with a message that names it",
        arguments: [
            (["--nonsense"], "nonsense"), (["--metrics", "walls"], "walls"), (["--filter", "("], "--filter"),
            (["--suite", "none"], "none"), (["--budget", "soon"], "soon"), (["--alpha", "2"], "alpha"),
            (["--min-effect", "-1%"], "min-effect"), (["--cmd", "true"], "--cmd"),
            (["--strict", "--lenient"], "strict"),
            (["--baseline", "no-such-thing", "--package-path", "/tmp"], "package-path"),
            (["--filter", "matches nothing"], "list"), (["self-test", "--rounds", "0"], "rounds"),
        ]
    )
    func usage(_ arguments: [String], _ named: String) async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let output = try await program.run(arguments)
        #expect(output.status == 2)
        #expect(output.errors.contains(named), "\(output.errors)")
    }

    @Test("Exits 3 when a count became nondeterministic, 0 with --lenient")
    func inconclusive() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let file = program.path("base.json")
        let fickle = ["--filter", "fickle", "--metrics", "value"]
        let counter = ["SAMPLE_COUNTER": program.path("counter")]
        #expect(try await program.run(fickle + ["--save", file]).status == 0)
        let output = try await program.run(fickle + ["--baseline", file], counter)
        #expect(output.status == 3)
        #expect(output.output.contains("nondeterministic"))
        #expect(try await program.run(fickle + ["--baseline", file, "--lenient"], counter).status == 0)
    }

    @Test("Exits 4 for a baseline that is missing, damaged, edited, foreign or newer, and leaves it as it is")
    func unreadable() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let file = program.path("base.json")
        #expect(try await program.run(Self.counts + ["--save", file]).status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let cases = [
            ("damaged", String(text.prefix(text.count / 2)), "not complete JSON"),
            (
                "edited",
                text.replacingOccurrences(of: "\"noisy\"", with: "\"exact\"").replacingOccurrences(
                    of: "832",
                    with: "831"
                ), "edited"
            ),
            ("foreign", "{\"schema\": \"other\"}", "not a baseline"),
            ("newer", text.replacingOccurrences(of: "\"schema_version\": 1", with: "\"schema_version\": 9"), "newer"),
        ]
        for (name, contents, words) in cases {
            let path = program.path("\(name).json")
            try contents.write(toFile: path, atomically: true, encoding: .utf8)
            for use in [["--baseline", path], ["baseline", "verify", path], ["compare", file, path]] {
                let output = try await program.run(use)
                #expect(output.status == 4, "\(use)")
                #expect(output.errors.contains(words), "\(output.errors)")
            }
            let saved = try await program.run(Self.counts + ["--save", path])
            #expect(saved.status == 4)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == contents)
        }
        #expect(try await program.run(["--baseline", program.path("none.json")]).status == 4)
    }

    @Test("Exits 5 when a benchmark's process ends by itself, and names it")
    func crash() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let output = try await program.run(["--suite", "odd", "--metrics", "allocations,value"], ["SAMPLE_CRASH": "1"])
        #expect(output.status == 5)
        #expect(output.output.contains("odd/crash"))
    }

    @Test("A benchmark that is gone fails unless it may be, and one that is new is said to be")
    func coverage() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let file = program.path("base.json")
        let odd = ["--filter", "odd/(extra|fickle)", "--metrics", "value"]
        #expect(try await program.run(odd + ["--save", file], ["SAMPLE_EXTRA": "1"]).status == 0)
        let gone = try await program.run(odd + ["--baseline", file])
        #expect(gone.status == 1)
        #expect(gone.output.contains("odd/extra") && gone.output.contains("removed"))
        #expect(try await program.run(odd + ["--baseline", file, "--allow-removed"]).status == 0)
        let smaller = program.path("small.json")
        #expect(try await program.run(odd + ["--save", smaller]).status == 0)
        let new = try await program.run(odd + ["--baseline", smaller], ["SAMPLE_EXTRA": "1"])
        #expect(new.status == 0)
        #expect(new.output.contains("added: odd/extra"))
    }

    @Test("A benchmark whose counts vary by right is not judged, and the report says why")
    func uncounted() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let file = program.path("base.json")
        let varying = ["--filter", "odd/(uncounted|extra)", "--metrics", "allocations,bytes,value"]
        #expect(try await program.run(varying + ["--save", file], ["SAMPLE_EXTRA": "1"]).status == 0)
        let output = try await program.run(varying + ["--baseline", file], ["SAMPLE_EXTRA": "1"])
        #expect(output.status == 0, "\(output.output)")
        #expect(output.output.contains("not counted: odd/uncounted: its counts are random"))
        #expect(output.output.contains("judged 1 of 2 benchmarks"), "\(output.output)")
    }

    @Test("Accepting needs a reason, keeps the history, and replaces only what was chosen")
    func accept() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let file = program.path("main.json")
        #expect(try await program.run(["baseline", "accept", file] + Self.counts).status == 2)
        let first = try await program.run(["baseline", "accept", file, "--reason", "first"] + Self.counts)
        #expect(first.status == 0)
        let choice = ["baseline", "accept", file, "--reason", "second", "--filter", "answer", "--metrics", "value"]
        #expect(try await program.run(choice).status == 0)
        let saved = try BaselineFile.load(from: file)
        #expect(saved.history.map(\.reason) == ["first", "second"])
        #expect(Set(saved.benchmarks.map(\.id)) == ["strings/answer", "strings/allocate"])
    }

    @Test("No row of the table of goals is missing or empty: what has no number has a reason")
    func goals() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let output = try await program.run(["--filter", "odd/(no-|un)", "--metrics", "value"], ["SAMPLE_NOTHING": "1"])
        #expect(output.status == 5)
        for row in [
            "a number < 1 ms +- +gave no number", "an end < 1 ms +- +crashed", "no display < 1 ms +- +n/a: no display",
        ] {
            #expect(output.output.contains(try Regex(row)), "\(row): \(output.output)")
        }
    }

    @Test("Warns of a body that does nothing, but not of one that is short by right")
    func lint() async throws {
        let program = try SampleProgram()
        defer { program.remove() }
        let output = try await program.run(["--filter", "odd/(nothing|short)", "--metrics", "wall"])
        #expect(output.output.contains("lint: odd/nothing: measured less than a nanosecond: is the work removed"))
        #expect(!output.output.contains("lint: odd/short: measured less"), "\(output.output)")
    }

    @Test("--baseline may stand without a value")
    func bareBaseline() {
        #expect(SuiteProgram.withDefaults(["--baseline"]) == ["--baseline", "@default"])
        #expect(SuiteProgram.withDefaults(["--baseline", "--strict"]) == ["--baseline", "@default", "--strict"])
        #expect(SuiteProgram.withDefaults(["--baseline", "main"]) == ["--baseline", "main"])
    }
}
