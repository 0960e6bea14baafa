// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Supplies a value if the operation fails: the result of the last successful call if it is recent enough, otherwise the
/// value of a closure.
///
/// ```swift
/// let prices = try Fallback("prices", remembering: .seconds(60)) { error in PriceList.printed }
/// let served = try await prices.serve { try await server.prices() }
/// if case .remembered(let age) = served.source { view.note("as of \(age) ago") }
/// ```
///
/// ``serve(isolation:_:)`` returns the source of the value as well. ``run(isolation:_:)``, for use in a ``Policy``, reports
/// the source only to the observer. It supplies values for calls whose result type is exactly `Value`. For
/// another type it counts the failure and rethrows the error.
///
/// A fallback returns its remembered value for every call. Use one fallback per question: calls that expect different
/// results must not share one that remembers. A fallback never supplies a value for a cancelled call.
public final class Fallback<Value: Sendable>: ResilienceStrategy, DescribedStrategy, CountedFallback {
    private struct Memory {
        let value: Value
        let instant: Instant
    }

    /// The name, for events and metrics.
    package let name: String
    /// The maximum age of a remembered value; nil if the fallback remembers none.
    package let maximumAge: Duration?
    private let clock: TimeSource
    private let applies: @Sendable (any Error) -> Bool
    private let observer: (@Sendable (Served<Value>) -> Void)?
    private let substitute: (@Sendable (any Error) async throws -> Value)?
    /// Separate from `memory`, because a lock around a generic type costs a metadata look-up.
    private let counters = Lock(FallbackCounts())
    /// The latest success. No thread holds both locks, or one of them while the operation runs.
    private let memory = Lock<Memory?>(nil)

    /// Creates a fallback that supplies the remembered value or, if there is none, the value of `substitute`.
    ///
    /// - Parameters:
    ///   - name: The name, for events and metrics.
    ///   - maximumAge: The maximum age of a remembered value, inclusive. Nil, the default: remember no value.
    ///   - clock: The clock that measures the age.
    ///   - applies: Whether to supply a value for an error. The default is true for all errors. Not called if
    ///     the caller was cancelled.
    ///   - observer: Receives each value that replaces a failed result, on the task of the call.
    ///   - substitute: Returns the value if there is no remembered one. Its argument is the operation's error. The call
    ///     rethrows what it throws.
    /// - Throws: ``ResilienceError`` if the name is empty or the age is negative.
    public convenience init(
        _ name: String,
        remembering maximumAge: Duration? = nil,
        clock: TimeSource = .live,
        applies: @escaping @Sendable (any Error) -> Bool = { _ in true },
        observer: (@Sendable (Served<Value>) -> Void)? = nil,
        file: String = #fileID,
        line: Int = #line,
        substitute: @escaping @Sendable (any Error) async throws -> Value
    ) throws {
        let check = SettingCheck(subject: "Fallback \"\(name)\"", file: file, line: line)
        try self.init(name, maximumAge, clock, applies, observer, substitute, check)
    }

    /// Creates a fallback that supplies only the remembered value.
    ///
    /// - Parameters:
    ///   - name: The name, for events and metrics.
    ///   - type: The type of the values.
    ///   - maximumAge: The maximum age of a remembered value, inclusive.
    ///   - clock: The clock that measures the age.
    ///   - applies: Whether to supply a value for an error. The default is true for all errors. Not called if
    ///     the caller was cancelled.
    ///   - observer: Receives each value that replaces a failed result, on the task of the call.
    /// - Throws: ``ResilienceError`` if the name is empty or the age is negative.
    public convenience init(
        _ name: String,
        remembering type: Value.Type,
        for maximumAge: Duration,
        clock: TimeSource = .live,
        applies: @escaping @Sendable (any Error) -> Bool = { _ in true },
        observer: (@Sendable (Served<Value>) -> Void)? = nil,
        file: String = #fileID,
        line: Int = #line
    ) throws {
        let check = SettingCheck(subject: "Fallback \"\(name)\"", file: file, line: line)
        try self.init(name, maximumAge, clock, applies, observer, nil, check)
    }

    private init(
        _ name: String,
        _ maximumAge: Duration?,
        _ clock: TimeSource,
        _ applies: @escaping @Sendable (any Error) -> Bool,
        _ observer: (@Sendable (Served<Value>) -> Void)?,
        _ substitute: (@Sendable (any Error) async throws -> Value)?,
        _ check: SettingCheck
    ) throws {
        try check.requireName(name)
        let age = maximumAge ?? .zero
        try check.require(age >= .zero, "the maximum age", age, "it has to be zero or longer")
        self.name = name
        self.maximumAge = maximumAge
        self.clock = clock
        self.applies = applies
        self.observer = observer
        self.substitute = substitute
    }

    /// How the calls have ended.
    package var counts: FallbackCounts { counters.withLock { $0 } }

    package var kind: StrategyKind { .fallback }

    package var outline: String {
        let memory = maximumAge.map { "the last value up to \($0)" }
        let sources = [memory, substitute.map { _ in "a substitute" }].compactMap { $0 }
        return "Fallback \"\(name)\": \(Value.self), " + sources.joined(separator: ", then ")
    }

    /// Runs `operation` on the actor of the caller, and supplies a value if it fails.
    ///
    /// - Returns: The value and its source.
    /// - Throws: The error of the operation or of the substitute, if there is no value.
    public func serve(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Served<Value> {
        requireIsolation(isolation)
        do {
            let value = try await operation()
            if maximumAge == nil { countFresh() } else { remember(value) }
            return Served(value: value, source: .fresh, error: nil)
        } catch {
            return try await replacement(for: error, isolation: isolation)
        }
    }

    /// Runs `operation` on the actor of the caller, and supplies a value if it fails and `R` is `Value`.
    ///
    /// - Throws: The error of the operation or of the substitute, if there is no value.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        requireIsolation(isolation)
        do {
            let value = try await operation()
            if maximumAge == nil { countFresh() } else { rememberIfValue(value) }
            return value
        } catch {
            return try await replacement(for: error, as: R.self, isolation: isolation)
        }
    }

    // MARK: - After a success

    private func countFresh() {
        counters.withLock { $0.fresh += 1 }
    }

    @inline(never)
    private func rememberIfValue<R>(_ value: R) {
        // A subclass of `Value`, or an optional of it, belongs to another operation.
        if R.self == Value.self, let value = value as? Value { remember(value) } else { countFresh() }
    }

    private func remember(_ value: Value) {
        var memory: Memory? = Memory(value: value, instant: clock.now)
        self.memory.withLock { swap(&$0, &memory) }
        // Releases the previous value outside of the lock, because a deinitializer may be user code.
        memory = nil
        countFresh()
    }

    // MARK: - After a failure

    /// Not inlined: the look-up of its types at run time would double the cost of a call that succeeds.
    @inline(never)
    private func replacement<R>(
        for error: any Error,
        as: R.Type,
        isolation: isolated (any Actor)?
    ) async throws -> R {
        guard R.self == Value.self else {
            let isCancellation = isCancelled(error)
            count { if isCancellation { $0.cancelled += 1 } else { $0.otherType += 1 } }
            throw error
        }
        guard let value = try await replacement(for: error, isolation: isolation).value as? R else { throw error }
        return value
    }

    private func replacement(for error: any Error, isolation: isolated (any Actor)?) async throws -> Served<Value> {
        if isCancelled(error) {
            count { $0.cancelled += 1 }
            throw error
        }
        guard applies(error) else {
            count { $0.failed += 1 }
            throw error
        }
        let served: Served<Value>
        if let remembered = remembered(error) {
            served = remembered
        } else {
            served = try await substituted(error, isolation: isolation)
        }
        observer?(served)
        return served
    }

    private func remembered(_ error: any Error) -> Served<Value>? {
        guard let maximumAge else { return nil }
        let now = clock.now
        guard let last = memory.withLock({ $0 }) else { return nil }
        let age = now.duration(since: last.instant)
        guard age <= maximumAge else { return nil }
        count { $0.remembered += 1 }
        // Negative if another task has stored a value since the clock was read.
        return Served(value: last.value, source: .remembered(age: max(age, .zero)), error: error)
    }

    private func substituted(_ error: any Error, isolation: isolated (any Actor)?) async throws -> Served<Value> {
        do {
            guard let substitute else { throw error }
            let value = try await substitute(error)
            count { $0.substitute += 1 }
            return Served(value: value, source: .substitute, error: error)
        } catch let failure {
            count { if isCancelled(failure) { $0.cancelled += 1 } else { $0.failed += 1 } }
            throw failure
        }
    }

    /// Whether the caller no longer wants a value.
    private func isCancelled(_ error: any Error) -> Bool { Task.isCancelled || Cancellation.isIntended(error) }

    private func count(_ change: (inout FallbackCounts) -> Void) {
        counters.withLock { change(&$0) }
    }
}
