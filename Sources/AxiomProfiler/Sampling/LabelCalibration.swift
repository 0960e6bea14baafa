// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Axiom
internal import CAxiomProfiler

/// Finds where the runtime of Swift keeps the current task and the task-local values of a task, so that the handler of a signal
/// can read the spans of a task without a call of the runtime.
package enum LabelCalibration {
    /// What does not work; nil if labels can be read. The places are the same for the life of the process.
    package static var problem: String? { get async { await result.value } }

    /// Whether memory of this process can be read as the handler does it.
    static var canRead: Bool {
        var sample = axiom_sample()
        return withUnsafeMutablePointer(to: &sample) {
            axiom_capture($0, 0, 0, UInt(bitPattern: $0))
            return $0.pointee.word_count > 0
        }
    }

    private static let result = Task.detached { await steps() }

    @TaskLocal private static var other = 0

    private static func steps() async -> String? {
        guard await findTask() else { return "the current task is at no fixed place of the thread-local storage" }
        guard await findValues() else { return "the task-local values are at no fixed place of a task" }
        guard let span = MemoryLayout<OperationContext>.offset(of: \.span) else { return "the span has no offset" }
        axiom_label_use(OperationContext.key, span)
        return await wrongLabel().map { "the label of \($0) is wrong" }
    }

    private static func findTask() async -> Bool {
        guard axiom_label_narrow_task() > 0, axiom_label_narrow_outside() > 0 else { return false }
        // This task lives meanwhile: the other one has another address.
        guard await Task.detached(operation: { axiom_label_narrow_task() > 0 }).value else { return false }
        return axiom_label_narrow_task() == 1
    }

    private static func findValues() async -> Bool {
        @Sendable func narrow() -> Bool {
            bind(1) { axiom_label_narrow_values(OperationContext.key) > 0 }
                && bind(1) { bind(2) { axiom_label_narrow_values(OperationContext.key) > 0 } }
        }
        guard narrow(), await Task.detached(operation: narrow).value else { return false }
        return bind(3) { axiom_label_narrow_values(OperationContext.key) == 1 }
    }

    /// Reads labels as the handler does; returns the first case with a wrong one.
    private static func wrongLabel() async -> String? {
        guard hasLabel([]), bind(1, { hasLabel([1]) }), hasLabel([]) else { return "a task" }
        let isNestedRight = bind(1) { bind(1) { bind(2) { $other.withValue(1) { hasLabel([2, 1]) } } } }
        guard isNestedRight else { return "a nested binding" }
        return await OperationContext.$current.withValue(context(1)) {
            async let child = bind(2) { hasLabel([2, 1]) }
            async let group = withTaskGroup(of: Bool.self) { group in
                group.addTask { hasLabel([1]) }
                return await group.next() ?? false
            }
            guard await child, await group else { return "a child task" }
            guard await Task(operation: { hasLabel([1]) }).value else { return "an unstructured task" }
            return await Task.detached { hasLabel([]) }.value ? nil : "a detached task"
        }
    }

    private static func context(_ number: UInt64) -> OperationContext {
        OperationContext(span: SpanContext(trace: number, span: number, record: 0))
    }

    private static func bind(_ number: UInt64, _ body: () -> Bool) -> Bool {
        OperationContext.$current.withValue(context(number), operation: body)
    }

    private static func hasLabel(_ expected: [UInt64]) -> Bool {
        var sample = axiom_sample()
        axiom_capture(&sample, 0, 0, 0)
        let spans = RawSample(&sample).spans
        return spans.map(\.trace) == expected && spans.map(\.span) == expected
    }
}
#endif
