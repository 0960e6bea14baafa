// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomSyntax
import Testing

@Suite("What a migration leaves to a person is named, and compiles otherwise")
struct LeftoverTests {
    private static let client = """
        class TodoClient: BaseClient<TodoState, TodoAction> {
            override func dispatch(_ action: TodoAction) { updateState(state) }
        }
        """

    /// Migrates a file of the draft: the new text, and the notes as `line: reason`.
    private func migrate(_ text: String) throws -> (text: String, notes: [String]) {
        let file = SourceText(path: "Sources/App.swift", bytes: Array("import AxiomDraft\n\(text)\n".utf8))
        let outcome = RecipeRun([file]).run()
        let change = try #require(outcome.changes.first)
        return (
            String(decoding: change.new, as: UTF8.self), outcome.notes.map { "\($0.line): \($0.recipe): \($0.reason)" }
        )
    }

    @Test(
        "The identifier of a state stays if a member of the state reads it, and goes if none does",
        arguments: [
            "var key: String { id.uuidString }", "lazy var key = id.uuidString", "init(_ key: UUID) { self.key = id }",
            "subscript(key: Int) -> UUID { id }", "func key() -> UUID { id }",
        ]
    )
    func stateID(member: String) throws {
        let state = "struct TodoState: State {\n    let id = UUID()\n    MEMBER\n}\n"
        let (kept, notes) = try migrate(state.replacing("MEMBER", with: member) + Self.client)
        #expect(kept.contains("let id = UUID()"), "\(kept)")
        #expect(notes.contains { $0.contains("drop-state-id: TodoState.id may be read, so it stays") }, "\(notes)")
        let (gone, none) = try migrate(state.replacing("MEMBER", with: "var count = 0") + Self.client)
        #expect(!gone.contains("let id = UUID()"), "\(gone)")
        #expect(!none.contains { $0.contains("drop-state-id") }, "\(none)")
    }

    @Test("A client whose callers gave the initial state takes it still, and a note says where to pass it")
    func initialState() throws {
        let (text, notes) = try migrate(Self.client)
        let initializer = """
                init(_ scope: borrowing ClientScope, initialState: TodoState) {
                    identity = scope.identity
                    store = scope.store(initialState)
                }
            """
        #expect(text.contains(initializer), "\(text)")
        let note =
            "2: identity-and-scope-init: TodoClient got its initial state from its callers: pass initialState where TodoClient "
            + "is registered."
        #expect(notes.contains(note), "\(notes)")
    }

    @Test("The report says that the page of a note is in Axiom's repository")
    func page() {
        let file = SourceText(path: "Sources/App.swift", bytes: Array("import AxiomDraft\n\(Self.client)\n".utf8))
        let run = RecipeRun([file])
        let excluded = RecipeRun.Unit(recipe: "rename-process", path: file.path)
        let report = MigrationReport(run.run(), of: run.project, excluded: [excluded]).text
        #expect(
            report.contains("is registered. (Axiom's Documentation/migrating.md#identity-and-scope-init)\n"),
            "\(report)"
        )
        #expect(
            report.contains("does not compile with it (Axiom's Documentation/migrating.md#rename-process)\n"),
            "\(report)"
        )
    }

    @Test("An initializer that sets no state is named; one that leaves it to another one is not")
    func initializerWithoutState() throws {
        let (_, notes) = try migrate(
            """
            class TodoClient: BaseClient<TodoState, TodoAction> {
                init(limit: Int) { print(limit) }
                convenience init() { self.init(limit: 1) }
            }
            """
        )
        let found = notes.filter { $0.contains("This initializer sets no state: add store = scope.store(…)") }
        #expect(found.count == 1, "\(notes)")
    }

    @Test("Reads of the state of a client that do not wait are named, and others are not")
    func stateReads() throws {
        let (_, notes) = try migrate(
            Self.client + """

                class ListContext: BaseContext {
                    let todo: TodoClient
                    init(todo: TodoClient) { self.todo = todo }
                    func show() { print(todo.state.todos) }
                    func count() -> Int { self.todo.state.count }
                    func load() async { print(await todo.state) }
                    func other(_ page: Page) { print(page.state, state) }
                }
                """
        )
        let found = notes.filter { $0.contains("create-context-to-scope: todo.state has to be awaited now") }
        #expect(found.count == 2, "\(notes)")
    }

    @Test(
        "An await before a read in its statement covers it, and async let does; one of other code does not",
        arguments: [
            ("await todo.ready && todo.state.done", 0), ("try await todo.ready == todo.state.done", 0),
            ("await todo.ready ? todo.state.done : todo.state.last", 0), ("async let copy = todo.state", 0),
            ("done = await todo.ready && todo.state.done", 0), ("todo.state.done && !ready", 1),
            ("list(await todo.ready, todo.state)", 1), ("await todo.ready && ready; show(todo.state)", 1),
            ("async let copy = list { todo.state }; show(await copy)", 1),
        ]
    )
    func awaitedReads(statement: String, count: Int) throws {
        let (_, notes) = try migrate(
            Self.client + """

                class ListContext: BaseContext {
                    let todo: TodoClient
                    init(todo: TodoClient) { self.todo = todo }
                    func load() async throws { \(statement) }
                }
                """
        )
        let found = notes.filter { $0.contains("todo.state has to be awaited now") }
        #expect(found.count == count, "\(notes)")
    }

    @Test("Calls of the initializers that components had are named, registrations and other calls are not")
    func oldInitializers() throws {
        let (text, notes) = try migrate(
            Self.client + """

                class App: Orchestrator {
                    init() { start(TodoClient(initialState: TodoState())) }
                }
                enum Global {
                    static let shared = TodoClient(initialState: TodoState())
                    static let state = TodoState()
                    static func make(_ scope: Scope) { _ = TodoClient(scope) }
                }
                """
        )
        let found = notes.filter { $0.contains("Only the orchestrator makes a TodoClient: register it") }
        let line = try #require(
            text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains("shared") }
        )
        #expect(found.map { $0.hasPrefix("\(line + 1): registry-to-registration: ") } == [true], "\(notes)")
    }
}
