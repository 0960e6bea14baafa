// SPDX-License-Identifier: Apache-2.0

import AxiomVerification

extension RuleTwinTests {
    static let bodyTwins: [Twin] = [
        // Errors end at a boundary.
        Twin(
            rule: "client-swallows-error",
            line: "try await upload()",
            bad: "⟦try? await upload()",
            isFixable: true,
            severity: .warning
        ),
        Twin(
            rule: "client-swallows-error",
            line: "throw error",
            bad: "print(error)",
            mark: "} ⟦catch {",
            severity: .warning
        ),
        Twin(rule: "client-swallows-error", line: "throw error", bad: "", mark: "} ⟦catch {", severity: .warning),
        Twin(
            rule: "client-swallows-error",
            line: "throw error",
            bad: "Swift.print(error); return",
            mark: "} ⟦catch {",
            severity: .warning
        ),
        Twin(
            rule: "client-swallows-error",
            line: "throw error",
            bad: "Self.cartLogger.warning(\"\\(error)\"); _ = error",
            mark: "} ⟦catch {",
            severity: .warning
        ),
        Twin(
            rule: "client-swallows-error",
            line: "private func upload() async throws {",
            bad: "private func upload() async throws { ⟦try? await Task.yield()",
            isFixable: true,
            severity: .warning
        ),
        Twin(
            rule: "context-swallows-error",
            line: "try await cart.process(action)",
            bad: "⟦try? await cart.process(action)",
            isFixable: true,
            severity: .warning
        ),
        // Tasks and streams end with their component.
        Twin(
            rule: "unstructured-task",
            line: "try await Task { try await upload() }.value",
            bad: "⟦Task { try await upload() }",
            severity: .warning
        ),
        Twin(
            rule: "unstructured-task",
            line: "try await Task { try await upload() }.value",
            bad: "_ = Task.⟦detached { try await upload() }",
            severity: .warning
        ),
        Twin(
            rule: "unstructured-task",
            line: "try await Task { try await upload() }.value",
            bad: "let _ = ⟦Task { try await upload() }",
            severity: .warning
        ),
        Twin(
            rule: "unstructured-task",
            line: "try await Task { try await upload() }.value",
            bad: "lock.withLock { ⟦Task { try await upload() } }",
            severity: .warning
        ),
        Twin(
            rule: "unstructured-task",
            line: "try await Task { try await upload() }.value",
            bad: "let unused = ⟦Task { try await upload() }",
            severity: .warning
        ),
        Twin(
            rule: "stream-not-finished",
            line: "ticking.finish()",
            bad: "count = 0",
            mark: "AsyncStream.⟦makeStream",
            severity: .warning
        ),
        Twin(
            rule: "stream-not-finished",
            line: "private var count = 0",
            bad: "private let waiting: AsyncStream<Int>.Continuation = AsyncStream.⟦makeStream().continuation",
            isFixable: true,
            severity: .warning,
            program: TwinProgram.withoutStream
        ),
        Twin(
            rule: "observe-captures-self",
            line: "context.lines = state.lines",
            bad: "⟦self.lines = state.lines",
            isFixable: true,
            severity: .warning
        ),
        Twin(
            rule: "observe-captures-self",
            line: "observe(cart) { context, state in",
            bad: "observe(cart) ⟦{ [self] context, state in",
            severity: .warning
        ),
        Twin(
            rule: "observe-captures-self",
            line: "try await Task.sleep(for: .seconds(1))",
            bad: "⟦observe(cart, handle)",
            severity: .warning
        ),
        Twin(
            rule: "observe-captures-self",
            line: "try await Task.sleep(for: .seconds(1))",
            bad: "func show(_: CartContext, _: CartState) { lines = [] }; ⟦observe(cart, show)",
            severity: .warning
        ),
        // One update at a time.
        Twin(
            rule: "reentrant-update",
            line: "store.update { $0.note = \"\" }",
            bad: "store.update { $0.note = store.⟦update { $0.note } }"
        ),
        Twin(
            rule: "reentrant-update",
            line: "store.update { $0.note = \"\" }",
            bad: "store.update { _ in self.⟦clear() }"
        ),
        Twin(
            rule: "await-between-read-and-update",
            line: "store.update { $0.note = \"\" }",
            bad: "store.⟦update { $0.note = note }",
            severity: .warning
        ),
        // The main actor never waits.
        Twin(
            rule: "blocks-main",
            line: "try await Task.sleep(for: .seconds(1))",
            bad: "Thread.⟦sleep(forTimeInterval: 1)",
            severity: .warning
        ),
        Twin(
            rule: "blocks-main",
            line: "try await Task.sleep(for: .seconds(1))",
            bad: "let text = try ⟦String(contentsOfFile: \"cart\")",
            severity: .warning
        ),
        Twin(
            rule: "blocks-main",
            line: "try await Task.sleep(for: .seconds(1))",
            bad: "let gate = DispatchSemaphore(value: 0); gate.⟦wait()",
            severity: .warning
        ),
        Twin(
            rule: "blocks-main",
            line: "try await Task.sleep(for: .seconds(1))",
            bad: "DispatchQueue.global().⟦sync {}",
            severity: .warning
        ),
        Twin(
            rule: "blocks-main",
            line: "try await Task.sleep(for: .seconds(1))",
            bad: "Foundation.Thread.⟦sleep(forTimeInterval: 1)",
            severity: .warning
        ),
    ]
}
