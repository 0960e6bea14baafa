// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
public import Testing

extension TelemetryAssertions {
    /// Runs `body` several times and expects that no component of a type that it created is alive afterwards.
    ///
    /// ```swift
    /// try await assertions.expectNoLeaks(of: CartContext.self, cycles: 1_000) {
    ///     try await host.mount()
    ///     await host.unmount()
    /// }
    /// ```
    /// What is under way is waited for first: see ``settle(upTo:sourceLocation:)``. It fails if `body` creates no such
    /// component, because then nothing is proven.
    ///
    /// - Parameters:
    ///   - type: The type of a capability, client, context or presentation.
    ///   - cycles: How often `body` runs; 1 or more.
    ///   - sourceLocation: Where a failure is reported.
    ///   - body: Runs on the caller's actor.
    /// - Throws: The error of `body`; the later cycles do not run.
    public func expectNoLeaks<Failure: Error>(
        of type: Any.Type,
        cycles: Int = 100,
        sourceLocation: SourceLocation = #_sourceLocation,
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) () async throws(Failure) -> Void
    ) async throws(Failure) {
        let subject = SubjectName(type)
        let what = "no leaks of \(subject.name)"
        guard cycles > 0 else { return fail("Expected \(what) in \(cycles) cycles. Run 1 or more.", sourceLocation) }
        if let obstacle = obstacle(what) { return fail(obstacle, sourceLocation) }
        let before = Census(telemetry, subject)
        for _ in 0..<cycles { try await body() }
        await settle(sourceLocation: sourceLocation)
        if Census(telemetry, subject).isActor {
            await threadsRelease { Census(telemetry, subject).live <= before.live }
        }
        let after = Census(telemetry, subject)
        guard after.isKnown else {
            let names = telemetry.readings.components.map(\.component.name)
            let nearest = Nearest.names(to: subject.name, among: names).first ?? "none"
            let reason = "\(subject.name) is not registered with the orchestrator of this telemetry"
            return fail("Expected \(what), but \(reason).\nNearest: \(nearest).", sourceLocation)
        }
        let created = after.created - before.created
        guard created > 0 else {
            let message = """
                Expected \(what), but \(cycles) cycles created none, which proves nothing.
                Create and release one in the closure.
                """
            return fail(message, sourceLocation)
        }
        guard after.live > before.live else { return }
        let numbers = after.numbers.subtracting(before.numbers).sorted()
        let shown = numbers.prefix(5).map(String.init).joined(separator: ", ") + (numbers.count > 5 ? ", …" : "")
        fail(
            """
            Expected \(what), but \(after.live - before.live) of \(created) that \(cycles) cycles created are alive.
            Their numbers: \(shown). Find the task, closure or property that keeps them.
            """,
            sourceLocation
        )
    }
}

/// The components of one type at one moment.
private struct Census {
    let isKnown: Bool
    /// Whether the components are capabilities or clients.
    let isActor: Bool
    let created: UInt64
    let live: UInt64
    /// The numbers of the living instances.
    let numbers: Set<UInt64>

    init(_ telemetry: Telemetry, _ subject: SubjectName) {
        let rows = telemetry.readings.components
        let name = subject.resolved(among: Set(rows.map(\.component.name)))
        let own = rows.filter { $0.component.name == name }
        isKnown = name != nil
        isActor = own.contains { $0.component.kind == .capability || $0.component.kind == .client }
        created = own.reduce(0) { $0 + $1.created }
        live = created - own.reduce(0) { $0 + $1.destroyed }
        let living = telemetry.readings.instances.living.values
        numbers = Set(living.filter { $0.component.name == name }.map(\.id))
    }
}

/// Expects that the object of a weak variable is destroyed:
///
/// ```swift
/// weak let context = host.context
/// await host.unmount()
/// await expectDestroyed(weak: context)
/// ```
/// The operations of a context that are under way are waited for; then it must end. It works with the package trait
/// `Instrumented` off, too.
///
/// - Parameters:
///   - object: A weak variable. It is read again until it is nil.
///   - sourceLocation: Where a failure is reported.
public func expectDestroyed(
    weak object: @autoclosure () -> AnyObject?,
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation
) async {
    await settle(object())
    if isActor(object()) { await threadsRelease { object() == nil } }
    guard let object = object() else { return }
    let message = """
        Expected the \(typeName(of: object)) to be destroyed, but it is alive.
        Find the task, closure or property that keeps it, and check that the variable is weak.
        """
    Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation)
}

/// The type that the user wrote: a context reaches its clients through wrappers.
private func typeName(of object: AnyObject) -> String {
    let name = "\(type(of: object))"
    let wrappers = ["ObservedClient<", "UnobservedClient<", "InterceptedClient<"]
    guard let wrapper = wrappers.first(where: { name.hasPrefix($0) }) else { return name }
    // The client is the first parameter of the wrapper.
    var depth = 0
    let client = name.dropFirst(wrapper.count).dropLast().prefix { character in
        depth += "<(".contains(character) ? 1 : ">)".contains(character) ? -1 : 0
        return character != "," || depth > 0
    }
    return String(client)
}

/// Waits for the operations of a context. A function of its own, so that the context is released when it returns.
private func settle(_ object: AnyObject?, isolation: isolated (any Actor)? = #isolation) async {
    if let context = object as? any Context { await context.quiet(upTo: .seconds(20)) }
}

private func isActor(_ object: AnyObject?) -> Bool { object is any Actor }

/// Waits until an actor has ended. A thread that ran a job of an actor keeps the actor for a moment after the result of
/// the job is known, and no event tells the end of that moment. The limit matters only for an actor that does not end. It
/// is a count of pauses, 2 s on an idle machine: a busy one delays this task as it delays the thread.
private func threadsRelease(isolation: isolated (any Actor)? = #isolation, _ hasEnded: () -> Bool) async {
    for _ in 0..<1_000 where !hasEnded() && !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
}
