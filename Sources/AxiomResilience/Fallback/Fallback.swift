// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Answers in the place of an operation that failed: with the last good value, while that is not too old, otherwise
/// with what a closure gives.
///
/// ```swift
/// let prices = try Fallback("prices", remembering: .seconds(60)) { error in PriceList.printed }
/// let served = try await prices.serve { try await server.prices() }
/// if let age = served.source.age { view.note("as of \(age) ago") }
/// ```
///
/// ``serve(_:)`` says where the value came from; ``run(_:)``, for use in a ``Policy``, tells only the observer and
/// the counts. It answers calls that return exactly `Value`; the failures of others pass through, and are counted.
///
/// A remembered value answers every call, whatever it asked: remember only where all calls through one fallback ask
/// the same, and make one fallback for each question otherwise. A cancelled call is never answered.
public final class Fallback<Value: Sendable>: ResilienceStrategy, CountedFallback {
    private struct Memory {
        let value: Value
        let instant: Instant
    }

    /// The name that events and metrics show.
    public let name: String
    /// How old a remembered value may be when it is served; nil where none is remembered.
    public let maximumAge: Duration?
    private let clock: TimeSource
    private let applies: @Sendable (any Error) -> Bool
    private let observer: (@Sendable (Served<Value>) -> Void)?
    private let substitute: (@Sendable (any Error) async throws -> Value)?
    /// Apart from `memory`, for a lock around a generic type costs a look-up of that type.
    private let counters = Lock(FallbackCounts())
    /// The success that was noted last. Neither lock is held across a call, or while the other one is.
    private let memory = Lock<Memory?>(nil)

    /// Makes a fallback that answers with the last good value and then with what `substitute` gives.
    ///
    /// - Parameters:
    ///   - name: The name that events and metrics show.
    ///   - maximumAge: How old a remembered value may be, this age included; nil, the default, to remember none.
    ///   - clock: Where time comes from.
    ///   - applies: For which errors there is an answer; for all unless told. It is not asked about a
    ///     `CancellationError`.
    ///   - observer: Learns of every answer in the operation's place, on the task that gets it. None unless told.
    ///   - substitute: The answer where no remembered value serves. It is passed the operation's error; what it
    ///     throws, the call throws.
    /// - Throws: ``ResilienceError`` for an empty name or a negative age.
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

    /// Makes a fallback that answers with the last good value alone.
    ///
    /// - Parameters:
    ///   - name: The name that events and metrics show.
    ///   - type: The type of the values.
    ///   - maximumAge: How old a remembered value may be, this age included.
    ///   - clock: Where time comes from.
    ///   - applies: For which errors there is an answer; for all unless told. It is not asked about a
    ///     `CancellationError`.
    ///   - observer: Learns of every answer in the operation's place, on the task that gets it. None unless told.
    /// - Throws: ``ResilienceError`` for an empty name or a negative age.
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
        try check.require(age >= .zero, "the greatest age", age, "it has to be zero or longer")
        self.name = name
        self.maximumAge = maximumAge
        self.clock = clock
        self.applies = applies
        self.observer = observer
        self.substitute = substitute
    }

    /// How calls ended since the fallback was made.
    public var counts: FallbackCounts { counters.withLock { $0 } }

    /// ``StrategyKind/fallback``.
    public var kind: StrategyKind { .fallback }

    /// The name, the type and the answers.
    public var outline: String {
        let memory = maximumAge.map { "the last value up to \($0)" }
        let answers = [memory, substitute.map { _ in "a substitute" }].compactMap { $0 }
        return "Fallback \"\(name)\": \(Value.self), " + answers.joined(separator: ", then ")
    }

    /// Runs `operation`, and answers in its place when it fails.
    ///
    /// - Returns: The value, and where it came from.
    /// - Throws: What the operation or the substitute throws, where there is no answer.
    public func serve(_ operation: @Sendable () async throws -> Value) async throws -> Served<Value> {
        do {
            let value = try await operation()
            if maximumAge == nil { countFresh() } else { remember(value) }
            return Served(value: value, source: .fresh, error: nil)
        } catch {
            return try await answer(to: error)
        }
    }

    /// Runs `operation`, and answers in its place when it fails and `R` is `Value`.
    ///
    /// - Throws: What the operation or the substitute throws, where there is no answer.
    public func run<R: Sendable>(_ operation: @Sendable () async throws -> R) async throws -> R {
        do {
            let value = try await operation()
            if maximumAge == nil { countFresh() } else { remember(any: value) }
            return value
        } catch {
            return try await answer(to: error, as: R.self)
        }
    }

    // MARK: - After the operation

    private func countFresh() {
        counters.withLock { $0.fresh += 1 }
    }

    @inline(never)
    private func remember<R>(any value: R) {
        // Of exactly this type, as it is for an answer: a subclass or an optional's content is another operation's.
        if R.self == Value.self, let value = value as? Value { remember(value) } else { countFresh() }
    }

    private func remember(_ value: Value) {
        var memory: Memory? = Memory(value: value, instant: clock.now)
        self.memory.withLock { swap(&$0, &memory) }
        // The value before is released here, outside the lock, as that may run code of the user.
        memory = nil
        countFresh()
    }

    /// Not inlined, for its types are looked up at run time, which would double the cost of a call that succeeds.
    @inline(never)
    private func answer<R: Sendable>(to error: any Error, as: R.Type) async throws -> R {
        guard R.self == Value.self else {
            let isCancellation = error is CancellationError || Task.isCancelled
            count { if isCancellation { $0.cancelled += 1 } else { $0.otherType += 1 } }
            throw error
        }
        guard let value = try await answer(to: error).value as? R else { throw error }
        return value
    }

    private func answer(to error: any Error) async throws -> Served<Value> {
        if error is CancellationError || Task.isCancelled {
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
            served = try await substituted(error)
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
        // Another task may have noted a value since the clock was read.
        return Served(value: last.value, source: .remembered(age: max(age, .zero)), error: error)
    }

    private func substituted(_ error: any Error) async throws -> Served<Value> {
        do {
            guard let substitute else { throw error }
            let value = try await substitute(error)
            count { $0.substitute += 1 }
            return Served(value: value, source: .substitute, error: error)
        } catch let failure {
            count { if failure is CancellationError { $0.cancelled += 1 } else { $0.failed += 1 } }
            throw failure
        }
    }

    private func count(_ change: (inout FallbackCounts) -> Void) {
        counters.withLock { change(&$0) }
    }
}
