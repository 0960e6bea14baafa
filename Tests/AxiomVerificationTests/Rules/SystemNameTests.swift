// SPDX-License-Identifier: Apache-2.0

#if Tools
import AxiomVerification
import Testing

/// Rules that report what the system declares are silent about what the project declares under the same name.
@Suite("Rules: names that the system and the project have")
struct SystemNameTests {
    /// A statement of ``TwinProgram`` that breaks a rule, and a declaration with which it does not.
    struct Case: Sendable, CustomTestStringConvertible {
        let rule: RuleID
        let bad: String
        let declaration: String

        init(_ rule: RuleID, _ bad: String, _ declaration: String) {
            (self.rule, self.bad, self.declaration) = (rule, bad, declaration)
        }

        var testDescription: String { "\(bad) with \(declaration)" }

        private var line: String {
            switch rule {
            case "blocks-main": "try await Task.sleep(for: .seconds(1))"
            case "stream-not-finished": "private var count = 0"
            default: "try await Task { try await upload() }.value"
            }
        }

        func findings(with declaration: String) throws -> [String] {
            let program = rule == "stream-not-finished" ? TwinProgram.withoutStream : TwinProgram.text
            let text = try program.replacingOnce("\(line)\n", with: "\(bad)\n") + declaration + "\n"
            let verdict = judge(text)
            #expect(verdict.unreadableFiles.isEmpty)
            return verdict.findings.filter { $0.rule == rule }.map(\.message)
        }
    }

    static let cases = [
        Case("blocks-main", "try await sleep(.seconds(1))", "func sleep(_ duration: Duration) async throws {}"),
        Case("blocks-main", "await sleep(1)", "extension CartContext { func sleep(_ seconds: Int) async {} }"),
        Case("blocks-main", "await sleep(1)", "extension Context { func sleep(_ seconds: Int) async {} }"),
        Case("blocks-main", "await sleep(1)", "extension CartContext { var sleep: (Int) async -> Void { { _ in } } }"),
        Case(
            "blocks-main",
            "await sleep(1)",
            "protocol Idle {}\nextension Idle { func sleep(_ n: Int) async {} }\nextension CartContext: Idle {}"
        ),
        Case("blocks-main", "await usleep(1)", "let usleep: @Sendable (Int) async -> Void = { _ in }"),
        Case("blocks-main", "_ = Data(contentsOf: 1)", "struct Data { init(contentsOf: Int) {} }"),
        Case("blocks-main", "Thread.sleep(1)", "enum Thread { static func sleep(_ seconds: Int) {} }"),
        Case("blocks-main", "Process().waitUntilExit()", "struct Process { func waitUntilExit() {} }"),
        Case("blocks-main", "let all = Process(); all.wait()", "struct Process { func wait() {} }"),
        Case("blocks-main", "FileManager.default.clear()", "enum FileManager { static let `default` = Line() }"),
        Case("unstructured-task", "Task.detached {}", "struct Task { static func detached(_ work: () -> Void) {} }"),
        Case("unstructured-task", "Task { count += 1 }", "struct Task { init(_ work: () -> Void) {} }"),
        Case("unstructured-task", "Task {}", "extension CartClient { struct Task { init(_ work: () -> Void) {} } }"),
        Case(
            "stream-not-finished",
            "private let ticks = AsyncStream { $0.yield(1) }",
            "struct AsyncStream { init(_ make: (Line) -> Void) {} }"
        ),
    ]

    @Test("A name that the project declares is not that of the system", arguments: cases)
    func own(example: Case) throws {
        #expect(try example.findings(with: "").count == 1)
        #expect(try example.findings(with: example.declaration) == [])
    }

    @Test(
        "A declaration that the place does not see changes nothing",
        arguments: [
            Case("unstructured-task", "Task {}", "enum Model { struct Task {} }"),
            Case("unstructured-task", "Task {}", "extension PriceClient { struct Task {} }"),
            Case("blocks-main", "sleep(1)", "extension PriceClient { func sleep(_ seconds: Int) {} }"),
            Case("blocks-main", "sleep(1)", "extension Task { static func sleep(_ seconds: Int) {} }"),
            Case("blocks-main", "Foundation.Thread.sleep(forTimeInterval: 1)", "enum Thread {}"),
        ]
    )
    func unseen(example: Case) throws {
        #expect(try example.findings(with: example.declaration).count == 1)
    }

    @Test(
        "A stream that unfolds ends with nil, and needs no finish",
        arguments: ["AsyncStream", "AsyncStream<Int>", "AsyncThrowingStream"]
    )
    func unfolding(stream: String) throws {
        let unfolding = Case("stream-not-finished", "private let ticks = \(stream)(unfolding: { nil })", "")
        #expect(try unfolding.findings(with: "") == [])
    }
}
#endif
