// SPDX-License-Identifier: Apache-2.0

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

        /// What the rule finds with a declaration beside the program, and others in a module that it imports.
        func findings(with declaration: String = "", models: String = "") throws -> [String] {
            let program = rule == "stream-not-finished" ? TwinProgram.withoutStream : TwinProgram.text
            let text = try program.replacingOnce("\(line)\n", with: "\(bad)\n") + declaration + "\n"
            return SystemNameTests.findings(rule, "import Models\n" + text, models: "import Axiom\n" + models + "\n")
        }
    }

    /// What a rule finds in a file of the module Shop, beside one of the module Models.
    static func findings(_ rule: RuleID, _ shop: String, models: String) -> [String] {
        let files = ["Shop": shop, "Models": models].map { module, text in
            FileFacts.read(path: "Sources/\(module)/\(module).swift", module: module, bytes: Array(text.utf8))
        }
        let verdict = Verifier().judge(files)
        #expect(verdict.unreadableFiles.isEmpty)
        return verdict.findings.filter { $0.rule == rule }.map(\.message)
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
        #expect(try example.findings().count == 1)
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
        "A declaration that an imported module keeps to itself changes nothing, a public one does",
        arguments: [
            Case("unstructured-task", "Task {}", "struct Task {}"),
            Case("unstructured-task", "Task {}", "typealias Task = Int"),
            Case("blocks-main", "sleep(1)", "func sleep(_ seconds: Int) {}"),
            Case("blocks-main", "sleep(1)", "let sleep: @Sendable (Int) -> Void = { _ in }"),
            Case("blocks-main", "sleep(1)", "extension Context { func sleep(_ seconds: Int) {} }"),
            Case("blocks-main", "_ = Data(contentsOf: 1)", "struct Data { public init(contentsOf: Int) {} }"),
        ]
    )
    func imported(example: Case) throws {
        #expect(try example.findings(models: example.declaration).count == 1)
        #expect(try example.findings(models: "internal " + example.declaration).count == 1)
        #expect(try example.findings(models: "public " + example.declaration) == [])
        #expect(try example.findings(models: "package " + example.declaration) == [])
    }

    @Test("A type in an extension has the access level of the extension")
    func around() {
        func findings(_ extended: String) -> Int {
            let shop = "extension Session { actor Sync: Client { func start() { Task {} } } }"
            let models = "public enum Session {}\n\(extended)\n"
            return Self.findings("unstructured-task", "import Axiom\nimport Models\n\(shop)\n", models: models).count
        }
        #expect(findings("extension Session { struct Task {} }") == 1)
        #expect(findings("public extension Session { internal struct Task {} }") == 1)
        #expect(findings("public extension Session { struct Task {} }") == 0)
        #expect(findings("extension Session { public struct Task {} }") == 0)
    }

    @Test("A test that imports a module as testable sees what the module keeps to itself")
    func testable() {
        func findings(_ attribute: String) -> Int {
            let shop = "import Axiom\n\(attribute) import Models\nactor Sync: Client { func start() { Task {} } }\n"
            return Self.findings("unstructured-task", shop, models: "struct Task {}\n").count
        }
        #expect(findings("") == 1)
        #expect(findings("@testable") == 0)
    }

    @Test(
        "An alias of the type of the system means that type, also beside a public one of an imported module",
        arguments: [
            Case("unstructured-task", "Task {}", "typealias Task = _Concurrency.Task"),
            Case("unstructured-task", "Task {}", "extension CartClient { typealias Task = _Concurrency.Task }"),
            Case("blocks-main", "_ = Data(contentsOf: 1)", "typealias Data = Foundation.Data"),
            Case(
                "stream-not-finished",
                "private let ticks = AsyncStream { $0.yield(1) }",
                "typealias AsyncStream<T> = _Concurrency.AsyncStream<T>"
            ),
        ]
    )
    func alias(example: Case) throws {
        #expect(try example.findings(with: example.declaration).count == 1)
        let models = "public struct Task {}\npublic struct Data {}\npublic struct AsyncStream {}"
        #expect(try example.findings(models: models) == [])
        #expect(try example.findings(with: example.declaration, models: models).count == 1)
    }

    @Test(
        "An alias of another type is not the type of the system",
        arguments: [
            "typealias Task = Models.Task", "typealias Task = Line", "typealias Task = _Concurrency.TaskGroup",
            "enum _Concurrency { struct Task {} }\ntypealias Task = _Concurrency.Task",
        ]
    )
    func otherAlias(declaration: String) throws {
        #expect(try Case("unstructured-task", "Task {}", "").findings(with: declaration) == [])
    }

    @Test(
        "A stream that unfolds ends with nil, and needs no finish",
        arguments: ["AsyncStream", "AsyncStream<Int>", "AsyncThrowingStream"]
    )
    func unfolding(stream: String) throws {
        let unfolding = Case("stream-not-finished", "private let ticks = \(stream)(unfolding: { nil })", "")
        #expect(try unfolding.findings() == [])
    }
}
