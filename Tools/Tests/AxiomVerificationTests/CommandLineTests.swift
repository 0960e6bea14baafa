// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

@Suite("The command axiom-verify")
struct CommandLineTests {
    /// A client that has another client: one finding of `client-holds-client`.
    static let wrong = """
        import Axiom

        actor PriceClient: StatelessClient, Component {
            nonisolated let identity: ComponentIdentity
            init(_ scope: borrowing ClientScope) throws { identity = scope.identity }
            func process(_ action: PriceAction) async throws {}
        }

        enum PriceAction: Action { case load }

        """
    static let holder = """
        import Axiom

        actor CartClient: StatelessClient, Component {
            nonisolated let identity: ComponentIdentity
            private let price: PriceClient
            init(_ scope: borrowing ClientScope, price: PriceClient) throws {
                identity = scope.identity
                self.price = price
            }
            func process(_ action: PriceAction) async throws {}
        }

        """

    private func project() throws -> SampleFolder {
        try SampleFolder(["Sources/Shop/Price.swift": Self.wrong, "Sources/Shop/Cart.swift": Self.holder])
    }

    @Test("Version, help and rules succeed")
    func information() async throws {
        let folder = try SampleFolder()
        #expect(try await folder.verify("--version").output == "\(Axiom.version)\n")
        for arguments in ["--help", "rules", "swiftlint-config"] {
            let result = try await folder.verify(arguments)
            #expect(result.status == 0 && result.errors.isEmpty && !result.output.isEmpty)
        }
        #expect(try await folder.verify("rules").output.split(separator: "\n").count == RuleCatalog.all.count)
        let explanation = try await folder.verify("rules", "explain", "client-holds-client").output
        #expect(explanation.contains("domain") && explanation.contains("verify-rules.md#client-holds-client"))
    }

    @Test(
        "Wrong input exits with 2 and a message that names it",
        arguments: [
            (["--format", "pdf"], "pdf"), (["nowhere.swift"], "nowhere.swift"),
            (["rule"], "Did you mean the subcommand rules?"),
            (["chek"], "chek"), (["@nowhere"], "nowhere"),
            (["--semantic"], "--semantic is gone"),
            (["--fixx"], "--fixx"), (["--dry-run"], "add --fix"), (["--unsafe"], "add --fix"),
            (["--threads", "0"], "--threads 0"), (["--cache-folder", ""], "--cache-folder is empty"),
            (["--config", "nowhere.json"], "nowhere.json"), (["--only", "nowhere"], "--only"),
            (["--root", "nowhere"], "--root"), (["--baseline", "nowhere.json"], "nowhere.json"),
            (["rules", "explain", "client-hold-client"], "Did you mean client-holds-client?"),
            (["freeze", "--allow", "nothing"], "nothing"), (["--changed-since", "nowhere"], "git"),
            (["--output", "Sources"], "Sources"), (["--rule-alias", "other"], "other"),
        ]
    )
    func usage(arguments: [String], words: String) async throws {
        let folder = try project()
        let tool = try BuildFolder().url.appending(path: "axiom-verify").path
        let result = try await folder.run(tool, arguments, environment: ["-u", "CI"])
        #expect(result.status == 2, "\(result.output)")
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    @Test("The exit code is 0 without findings, 1 with findings, and 3 if a file does not parse")
    func exitCodes() async throws {
        let folder = try project()
        #expect(try await folder.verify("--format", "agent", "Sources/Shop/Price.swift").status == 0)
        let found = try await folder.verify("--format", "agent")
        #expect(found.status == 1)
        #expect(found.output.contains("Sources/Shop/Cart.swift:5:24: error: "), "\(found.output)")
        try folder.write("struct {", to: "Sources/Shop/Broken.swift")
        #expect(try await folder.verify().status == 3)
    }

    @Test("Two processes with one cache find what one without a cache finds, also if others are killed beside them")
    func sharedCache() async throws {
        let folder = try project()
        let tool = try BuildFolder().url.appending(path: "axiom-verify").path
        var generator = SplitMix64(seed: TestSeed.drawn())
        for round in 0..<6 {
            for number in 0..<6 {
                // Other texts, so that each round has something to keep.
                let text = Self.holder.replacing("CartClient", with: "CartClient\(number)Of\(round)")
                try folder.write(text, to: "Sources/Shop/\(number).swift")
            }
            let whole = ["--root", folder.root, "--format", "agent"]
            let begun = ContinuousClock.now
            let expected = try await folder.verify(whole + ["--no-cache"])
            let length = ContinuousClock.now - begun
            #expect(expected.status == 1)
            let caching = ["-C", folder.root, "-u", "CI", tool] + whole + ["--cache-folder", folder.path(".cache")]
            let killed = try (0..<2).map { _ in try RunningProgram("/usr/bin/env", caching) }
            async let one = Command.run("/usr/bin/env", caching)
            async let two = Command.run("/usr/bin/env", caching)
            for program in killed {
                // Waits for no state: the program is to be killed at a random moment.
                try await Task.sleep(for: length * Double.random(in: 0...0.7, using: &generator))
                program.signal(SIGKILL)
                _ = await program.exitCode()
            }
            for result in try await [one, two, Command.run("/usr/bin/env", caching)] {
                #expect(result.output == expected.output && result.status == 1, "\(result.errors)")
            }
        }
    }

    @Test("The output is the same with 1, 2 and 7 threads, with and without a cache", arguments: FindingFormat.allCases)
    func threads(format: FindingFormat) async throws {
        let folder = try project()
        for number in 0..<12 {
            let text = Self.holder.replacing("CartClient", with: "CartClient\(number)")
            try folder.write(text, to: "Sources/Shop/\(number).swift")
        }
        let first = try await folder.verify("--format", format.rawValue, "--threads", "1", "--no-cache")
        #expect(first.status == 1)
        // A verdict that a cache keeps is the same however many threads ask for it, so each of these reads the files.
        for threads in ["2", "7"] {
            let next = try await folder.verify("--format", format.rawValue, "--threads", threads, "--no-cache")
            #expect(next.output == first.output && next.status == 1)
        }
        for _ in 0..<2 {
            let next = try await folder.verify("--format", format.rawValue)
            #expect(next.output == first.output && next.status == 1)
        }
    }

    @Test("Reports go to files, and JUnit beside another format")
    func files() async throws {
        let folder = try project()
        let result = try await folder.verify(
            "--format",
            "sarif",
            "--output",
            "out/a.sarif",
            "--junit-output",
            "out/j.xml"
        )
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(try folder.read("out/a.sarif").contains("\"version\": \"2.1.0\""))
        #expect(try folder.read("out/j.xml").contains("<testsuite name=\"axiom-verify\""))
        #expect(
            try await folder.verify("--rule-alias", "swiftlint", "--format", "agent").output.contains(
                "client_capability_only"
            )
        )
    }

    @Test("A stamp for builds is written only by a run that succeeds")
    func stamp() async throws {
        let folder = try project()
        #expect(try await folder.verify("--stamp", "out/Verified.swift").status == 1)
        #expect(throws: (any Error).self) { try folder.read("out/Verified.swift") }
        #expect(try await folder.verify("Sources/Shop/Price.swift", "--stamp", "out/Verified.swift").status == 0)
        #expect(try folder.read("out/Verified.swift").hasPrefix("//"))
    }

    @Test("Settings turn rules off and change severities; an excluded file is not judged")
    func configured() async throws {
        let folder = try project()
        try folder.write(
            #"{"schemaVersion": 1, "rules": {"client-holds-client": "information"}}"#,
            to: "axiom-verify.json"
        )
        #expect(try await folder.verify().status == 0)
        #expect(try await folder.verify("--strict").status == 1)
        try folder.write(#"{"schemaVersion": 1, "excluded": ["**/Cart.swift"]}"#, to: "axiom-verify.json")
        #expect(try await folder.verify("--strict").status == 0)
        try folder.write(#"{"schemaVersion": 1, "rules": {"x": "off"}}"#, to: "axiom-verify.json")
        #expect(try await folder.verify().status == 2)
    }

    @Test("A baseline accepts what is there, grows on demand, shrinks by itself, and is stale in CI")
    func baseline() async throws {
        let folder = try project()
        let name = "axiom-verify.baseline.json"
        #expect(try await folder.verify("freeze", environment: ["CI=true"]).status == 4)
        #expect(try await folder.verify("freeze", "--reason", "before the rules").status == 0)
        let frozen = try folder.read(name)
        #expect(frozen.contains("before the rules"))
        #expect(try await folder.verify().status == 0)
        #expect(try await folder.verify("freeze", environment: ["CI=true"]).status == 0)

        try folder.write(Self.holder.replacing("CartClient", with: "OtherClient"), to: "Sources/Shop/Other.swift")
        #expect(try await folder.verify().status == 1)
        #expect(try await folder.verify("freeze").status == 0)
        #expect(try folder.read(name) == frozen)
        #expect(try await folder.verify("freeze", "--allow", "client-holds-client").status == 0)
        #expect(try await folder.verify().status == 0)

        try folder.write("", to: "Sources/Shop/Other.swift")
        let stale = try await folder.verify("--format", "github", environment: ["CI=true"])
        #expect(stale.status == 4 && stale.output.contains("title=stale-baseline"))
        #expect(try await folder.verify().status == 0)
        #expect(try folder.read(name) == frozen)
    }

    @Test("The cache is used, and a broken one does no harm")
    func cache() async throws {
        let folder = try project()
        let first = try await folder.verify("--format", "json")
        let root = folder.path(".build/axiom-verify")
        let key = try #require(try FileManager.default.contentsOfDirectory(atPath: root).first)
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(key)")
        #expect(names.count == 3, "the facts of two files, and the verdict")
        for name in names { try folder.write("broken", to: ".build/axiom-verify/\(key)/\(name)") }
        #expect(try await folder.verify("--format", "json").output == first.output)
        #expect(try await folder.verify("--format", "json").output == first.output)
    }
}
