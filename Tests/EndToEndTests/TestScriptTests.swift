// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("Scripts/test, Scripts/thorough and Scripts/prometheus", .timeLimit(.minutes(10)))
struct TestScriptTests {
    private static let python = ExternalTool(
        installation: "python3 is missing: apt-get install python3",
        path: ExternalTool.find("python3")
    )

    private static func script(_ name: String) -> String {
        Repository.root.appending(path: "Scripts/\(name)").path
    }

    @Test(
        "A module, a turn or a step that does not exist is named, with those that exist, and exit code 2",
        arguments: [
            ("test", ["AxiomMetric"], "AxiomMetric: choose of AxiomBase,"),
            ("test", ["--turns", "serving,waiting"], "there is no turn waiting: choose of independent,"),
            ("test", ["--build", "none"], "invalid choice: 'none'"),
            ("test", ["--prometheus", "3.1"], "invalid choice: '3.1'"),
            ("test", ["--prometheus", "2.53", "AxiomPush"], "name no modules and no turns"),
            ("prometheus", ["3.1"], "There is no server 3.1: choose of 2.42, 2.53, sid."),
            ("prometheus", ["sid", "--renew"], "There is no option --renew"),
            ("thorough", ["clocks"], "there is no step clocks: choose of counts,"),
            ("thorough", [], "name a step, or --list, or --stale"),
        ]
    )
    func wrong(_ name: String, _ arguments: [String], _ remedy: String) async throws {
        let result = try await Command.run("/usr/bin/env", [Self.script(name)] + arguments)
        #expect(result.status == 2)
        #expect(result.errors.contains(remedy), "\(result.errors)")
    }

    /// The records of a run: one test passes, one fails, one is skipped, one has a known issue, and one does not end.
    private static let events = """
        {"kind":"test","payload":{"kind":"suite","id":"T.S","name":"S"}}
        {"kind":"test","payload":{"kind":"function","id":"a","name":"a()","displayName":"First"}}
        {"kind":"test","payload":{"kind":"function","id":"b","name":"b()"}}
        {"kind":"test","payload":{"kind":"function","id":"c","name":"c()"}}
        {"kind":"test","payload":{"kind":"function","id":"d","name":"d()"}}
        {"kind":"test","payload":{"kind":"function","id":"e","name":"e()"}}
        {"kind":"event","payload":{"kind":"testStarted","testID":"T.S"}}
        {"kind":"event","payload":{"kind":"testStarted","testID":"a"}}
        {"kind":"event","payload":{"kind":"testEnded","testID":"a"}}
        {"kind":"event","payload":{"kind":"testStarted","testID":"b"}}
        {"kind":"event","payload":{"kind":"issueRecorded","testID":"b","issue":{"isKnown":false},"messages":[{"text":"1 is not 2"}]}}
        {"kind":"event","payload":{"kind":"testEnded","testID":"b"}}
        {"kind":"event","payload":{"kind":"testSkipped","testID":"c","messages":[{"text":"x is missing"}]}}
        {"kind":"event","payload":{"kind":"testStarted","testID":"d"}}
        {"kind":"event","payload":{"kind":"issueRecorded","testID":"d","issue":{"isKnown":true},"messages":[]}}
        {"kind":"event","payload":{"kind":"testEnded","testID":"d"}}
        {"kind":"event","payload":{"kind":"testStarted","testID":"e"}}
        {"kind":"event","payload":{"kind":"testEnded","testID":"T.S"}}
        a line that was cut

        """

    @Test("Tests that pass, fail, are skipped and do not end are counted and named")
    func counts() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString).jsonl")
        try Data(Self.events.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let code = """
            import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True
            from testing.limited import read
            outcome, running = read(sys.argv[2])
            print(outcome.passed, outcome.failed, outcome.skipped, running, outcome.is_good)
            """
        let scripts = Repository.root.appending(path: "Scripts").path
        let result = try await Self.python.run(["-c", code, scripts, file.path])
        #expect(
            result.output == "2 [('b() (b)', '1 is not 2')] [('c() (c)', 'x is missing')] ['e() (e)'] False\n",
            "\(result.errors)"
        )
    }

    @Test("The table of the servers has a row for each feature")
    func servers() async throws {
        let code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from testing.servers import main; sys.exit(main())"
        let scripts = Repository.root.appending(path: "Scripts").path
        let result = try await Self.python.run(["-B", "-c", code, scripts, "--check"])
        #expect(result.status == 0 && result.output == "", "\(result.output)\(result.errors)")
    }

    @Test("No turn has a test that another turn has, and every target has one turn")
    func turns() async throws {
        let code = """
            import re, sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True
            from testing.builds import targets
            from testing.turns import TURNS, options
            for name in targets().values():
                test = f"{name}.SomeTests/test()"
                def has(turn):
                    words = options(turn)
                    pairs = list(zip(words[::2], words[1::2]))
                    kept = [re.search(pattern, test) for word, pattern in pairs if word == "--filter"]
                    left = [re.search(pattern, test) for word, pattern in pairs if word == "--skip"]
                    return all(kept) and not any(left)
                found = [turn.name for turn in TURNS if turn.name != "whole" and has(turn)]
                if len(found) != 1: print(name, found)
            """
        let result = try await Self.python.run(["-c", code, Repository.root.appending(path: "Scripts").path])
        #expect(result.status == 0 && result.output == "", "\(result.output)\(result.errors)")
    }
}
