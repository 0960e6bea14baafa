// SPDX-License-Identifier: Apache-2.0

internal import CAxiomSupport

/// An open span as its children see it: its ids, and where the recorder collects the spans of its trace.
///
/// A recorder fills it in and is the only one that interprets it. It holds no reference, so that a task can carry it
/// without reference counting. A span that outlives its trace is therefore valid; the recorder detects that.
package struct SpanContext: Sendable, Hashable {
    /// The low 64 bits of the trace id; 0 if no span is open.
    package let trace: UInt64
    package let span: UInt64
    /// Identifies the recorder and its record of the trace.
    package let record: UInt64
    /// The numbers that the recorder gave to the component, the name and the kind of the span. Without a trace they are a label
    /// for the samples of a profiler, and no span is open.
    package let subject: UInt64

    package init(trace: UInt64, span: UInt64, record: UInt64, subject: UInt64 = 0) {
        self.trace = trace
        self.span = span
        self.record = record
        self.subject = subject
    }

    /// No open span: what begins now is the root of a new trace.
    package static let none = SpanContext(trace: 0, span: 0, record: 0)

    package var isNone: Bool { trace == 0 }
}

/// What a level above lets the tasks of an operation inherit.
protocol InheritedFacts: AnyObject, Sendable {}

/// What the tasks of an operation inherit: the trail of its errors, and the span that is the parent of what they do.
///
/// Both are in one task-local value, because each further one costs about 80 ns for every asynchronous call that binds
/// it.
package struct OperationContext: Sendable {
    /// The context of this task. It is inherited by child tasks and by `Task { }`, and not by `Task.detached`.
    @TaskLocal package static var current = OperationContext()

    /// Nil outside the operations of contexts and of the orchestrator.
    package var trail: ErrorTrail?
    /// The parent of the spans that begin in this task.
    package var span: SpanContext
    /// What the request that runs in this task lets it inherit; nil outside of requests.
    var request: (any InheritedFacts)?

    package init(trail: ErrorTrail? = nil, span: SpanContext = .none) {
        self.trail = trail
        self.span = span
    }

    /// The same as ``current``, read where the task stores it: the library's way copies it twice.
    static var inherited: OperationContext { stored?.pointee ?? OperationContext() }

    /// The parent of the spans that begin in this task. Without a copy of the context, which would retain the trail and the
    /// request for each span.
    package static var currentSpan: SpanContext { stored?.pointee.span ?? .none }

    private static var stored: UnsafePointer<OperationContext>? {
        axiom_task_local(key)?.assumingMemoryBound(to: OperationContext.self)
    }

    /// Makes this the context of the calling task until ``pop()``: `withValue` without a closure, which costs three more
    /// asynchronous calls.
    ///
    /// A task frees its memory in the reverse order. So both belong into one asynchronous function, and what it allocates between
    /// them is freed before ``pop()``: it keeps no result of a type that it does not know.
    @inline(never)
    func push() {
        withUnsafeTemporaryAllocation(of: OperationContext.self, capacity: 1) { memory in
            memory.initializeElement(at: 0, to: self)
            let type = unsafeBitCast(OperationContext.self as Any.Type, to: UnsafeRawPointer.self)
            axiom_task_local_push(Self.key, memory.baseAddress, type)
        }
    }

    /// Ends what the last ``push()`` of the task began.
    @inline(never)
    static func pop() { axiom_task_local_pop() }

    /// Identifies ``current`` to the runtime.
    package static var key: UnsafeMutableRawPointer { Unmanaged.passUnretained($current).toOpaque() }

    /// The context of this task with another parent for the spans that begin in it.
    package static func current(under span: SpanContext) -> OperationContext {
        var context = current
        context.span = span
        return context
    }
}

/// How an operation of a context ended.
struct OperationEnd: Sendable {
    var outcome: ActionOutcome
    /// The error because of which the operation did not succeed; nil after a success.
    let error: (any Error)?

    static let success = OperationEnd(.success, nil)

    /// - Parameter error: Dropped for a success, because a recovery has then mended it.
    init(_ outcome: ActionOutcome, _ error: (any Error)?) {
        self.outcome = outcome
        self.error = outcome == .success ? nil : error
    }
}

extension ErrorTrail {
    /// What the operation inherits. Its spans have the operation as parent, or the span of the calling task if the operation is
    /// not recorded.
    var context: OperationContext {
        OperationContext(trail: self, span: operation?.span ?? OperationContext.currentSpan)
    }

    /// The trail of the operation that runs in this task; nil outside operations of contexts and of the orchestrator.
    package static var current: ErrorTrail? { OperationContext.current.trail }

    /// Runs `body` as a part of the operation: its errors are noted here.
    func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async rethrows -> R {
        try await context.bind(with: operation?.probe, isolation: isolation, body)
    }
}
