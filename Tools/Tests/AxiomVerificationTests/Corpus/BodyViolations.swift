// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification

extension Violation {
    /// Errors that are dropped, tasks, streams, closures and updates.
    static let bodies: [Violation] = [
        swallowed(.client, "client-swallows-error", ["process"]),
        swallowed(.context, "context-swallows-error", ["handle", "onAppear"]), helpers, tasks, streams, observers,
        reentrant, stale, blocking,
    ].flatMap(\.self)

    private static func swallowed(_ role: Roles, _ rule: RuleID, _ entries: [String]) -> [Violation] {
        let texts = [
            "⟦try? await work()", "_ = ⟦try? await work(1)", "if let kept = ⟦try? await work() { print(kept) }",
            "do {\n    try await work()\n} ⟦catch {}", "do {\n    try await work()\n} ⟦catch {\n    print(error)\n}",
            "do {\n    try await work()\n} ⟦catch let failure {\n    logger.error(\"\\(failure)\")\n}",
            "do {\n    try await work()\n} ⟦catch is UpstreamError {\n} catch {\n    throw error\n}",
            "guard (⟦try? await work()) != nil else { return }",
        ]
        let replaced = Violation(rule, role, .instead("try await"), "⟦try? await", where: { $0.has(entries) })
        return texts.map { Violation(rule, role, .statement(entries), $0) } + [replaced.inFunctions(named: entries)]
    }

    /// The same in functions that the entries call.
    private static let helpers: [Violation] = [
        ("client-swallows-error", Roles.client, "process"), ("context-swallows-error", .context, "handle"),
    ].map { rule, role, entry in
        Violation(RuleID(rawValue: rule), "in a function that \(entry) calls") { program, generator in
            let types = program.types.filter { $0.roles.contains(role) }
            guard let type = types.randomElement(using: &generator),
                let function = type.functions.first(where: { $0.name == entry }),
                let call = program.statementPlaces(in: function, of: type.path).randomElement(using: &generator),
                let place = program.memberPlaces(of: type).randomElement(using: &generator)
            else { return nil }
            var edits = Edits(program)
            edits.insert("\(call.indent)try await self.helpOut()\n", at: call.offset, in: type.path)
            let text = "    private func helpOut() async throws {\n        let kept = ⟦try? await work()\n    }\n"
            edits.insert(text, at: place, in: type.path)
            return edits.texts
        }
    }

    private static let tasks: [Violation] = [
        "⟦Task { try await work() }", "⟦Task(priority: .low) { await work() }", "_ = ⟦Task { await work() }",
        "⟦Task.detached { await work() }", "Task<Void, Never>.⟦detached(priority: .high) { await work() }",
        "⟦Task<Void, Never> { await work() }", "⟦Task { [weak self] in await self?.work() }",
        "⟦Task { @MainActor in work() }", "defer { ⟦Task { await work() } }", "withLock { ⟦Task { await work() } }",
        "if isReady { ⟦Task { await work() } }", "let _ = ⟦Task { await work() }", "⟦Task(operation: work)",
    ].map { Violation("unstructured-task", .component, .statement([]), $0) }

    private static let streams: [Violation] = [
        Violation(
            "stream-not-finished",
            .client,
            .member,
            "private let tick: AsyncStream<Int>.Continuation = AsyncStream.⟦makeStream().continuation"
        ),
        Violation(
            "stream-not-finished",
            .client,
            .member,
            "private let (ticks, tick) = AsyncStream.⟦makeStream(of: Int.self)"
        ),
        Violation(
            "stream-not-finished",
            .client,
            .member,
            "private let (ticks, tick) = AsyncStream<Int>.⟦makeStream()"
        ),
        Violation(
            "stream-not-finished",
            .capability,
            .member,
            "private let made = AsyncThrowingStream.⟦makeStream(of: Int.self)"
        ),
        Violation(
            "stream-not-finished",
            .client,
            .member,
            "private lazy var ticks = ⟦AsyncStream<Int> { $0.yield(1) }"
        ),
        Violation(
            "stream-not-finished",
            .client,
            .statement(["process"]),
            "let (ticks, tick) = AsyncStream.⟦makeStream(of: Int.self)"
        ),
        Violation(
            "stream-not-finished",
            .client,
            .elsewhere,
            "nonisolated func ticks() -> AsyncStream<Int> {\n    ⟦AsyncStream { continuation in continuation.yield(1) }\n}"
        ),
    ]

    private static let observers: [Violation] = [
        "observe(client) { _, state in ⟦self.note(state) }",
        "observe(client) { context, state in\n    context.note(state)\n    ⟦self.count += 1\n}",
        "self.observe(client) { ⟦self.count = $1.count }",
        "observe(client) { [self] context, state in ⟦count = state.count }",
        "observe(client) { _, state in state.lines.forEach { ⟦self.note($0) } }",
        "observe(client, { _, state in ⟦self.note(state) })",
    ].map { Violation("observe-captures-self", .context, .statement([]), $0, where: { $0.hasMember("client") }) }

    private static let reentrant: [Violation] =
        reentrantTexts.map {
            Violation("reentrant-update", .stateOwner, .statement(["process"]), $0)
        } + [reentrantFunction]

    private static let reentrantTexts = [
        "store.update { _ in store.⟦update { $0.note = 1 } }",
        "store.update { state in\n    state.note = store.⟦update { $0.count }\n}",
        "self.store.update { _ in self.store.⟦update { $0.note = 1 } }",
        "store.update(.critical) { _ in\n    if isReady { store.⟦update(.critical) { $0.note = 1 } }\n}",
        "store.update { state in state.lines.forEach { line in store.⟦update { $0.note = line } } }",
    ]

    private static let reentrantFunction = Violation(
        "reentrant-update",
        .stateOwner,
        .instead("    func process("),
        """
            private func clearAll() { store.update { $0.note = 1 } }
            private func clearTwice() { store.update { _ in ⟦clearAll() } }

            func process(
        """
    )

    private static let stale: [Violation] = [
        "let old = store.state\nawait work()\nstore.⟦update { $0 = old }",
        "let count = state.count\ntry await work()\nstore.⟦update { $0.count = count + 1 }",
        "var lines = store.state.lines\nlines.append(await work())\nstore.⟦update { $0.lines = lines }",
        "let lines = self.state.lines\nlet more = await work(lines)\nstore.⟦update { state in state.lines = lines + more }",
        "let count = store.state.count\nfor await value in values { print(value) }\nstore.⟦update(.critical) { $0.count = max(count, 1) }",
        "guard let quote = state.quote else { return }\nawait work()\nstore.⟦update { $0.quote = quote }",
    ].map { Violation("await-between-read-and-update", .stateOwner, .statement(["process"]), $0) }

    private static let blocking: [Violation] = [
        "Thread.⟦sleep(forTimeInterval: 1)", "⟦sleep(1)", "⟦usleep(10)", "Foundation.Thread.⟦sleep(forTimeInterval: 1)",
        "let gate = DispatchSemaphore(value: 0)\ngate.⟦wait()", "DispatchQueue.global().⟦sync { work() }",
        "let group = DispatchGroup()\n_ = group.⟦wait(timeout: .now())",
        "let text = try ⟦String(contentsOf: url, encoding: .utf8)",
        "let text = try? ⟦String(contentsOfFile: path)", "let bytes = try ⟦Data(contentsOf: URL(filePath: \"cart\"))",
        "let tool = Process()\ntool.⟦waitUntilExit()", "DispatchSemaphore(value: 0).⟦wait()",
        "let files = FileManager.default.⟦contents(atPath: path)",
    ].map { Violation("blocks-main", .context, .statement([]), $0, imports: ["Foundation"]) }

    /// Keeps the mutants whose mark stands in one of the functions, which alone the rule judges.
    private func inFunctions(named names: [String]) -> Violation {
        Violation(rule, name) { program, generator in
            for _ in 0..<20 {
                guard let texts = changes(program, &generator) else { return nil }
                let isIn = texts.contains { path, text in
                    let offset =
                        text.utf8.count - (text.firstRange(of: "⟦").map { text[$0.lowerBound...].utf8.count } ?? 0)
                    return program.types.filter { $0.path == path }.flatMap(\.functions).contains {
                        names.contains($0.name) && $0.body.map { $0.offsets.contains(offset) } ?? false
                    }
                }
                if isIn { return texts }
            }
            return nil
        }
    }
}

extension DemoType {
    func has(_ names: [String]) -> Bool { functions.contains { names.contains($0.name) } }
    func hasMember(_ name: String) -> Bool { declaration.properties.contains { $0.name == name } }
}
