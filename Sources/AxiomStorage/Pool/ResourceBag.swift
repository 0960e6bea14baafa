// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Holds resources, and releases them together: in the reverse order of their acquisition, each exactly once.
///
/// ```swift
/// let bag = ResourceBag("import")
/// let file = try await bag.acquire("file") { try File(path) } release: { try $0.close() }
/// let lock = try await bag.acquire("lock") { try Lock(path) } release: { try $0.unlock() }
/// try await bag.release()
/// ```
///
/// If a release throws, the others still run. A bag that is not released releases nothing:
/// call ``release()`` also after an error, or use ``with(_:isolation:_:)``.
public final class ResourceBag: Sendable {
    private typealias Release = @Sendable () async -> (any Error)?
    private typealias Failures = [(name: String, error: any Error)]

    private enum State {
        case open([(name: String, release: Release)])
        /// Contains the calls that wait for the end of the release.
        case releasing([OneShot<Failures>])
        case released(Failures)
    }

    /// The bags whose releases the present code is part of: a release of one of them must not wait for itself.
    @TaskLocal private static var releasing: Set<ObjectIdentifier> = []

    private let name: String
    /// No release runs under the lock, and waiters are settled outside.
    private let state = Lock(State.open([]))

    /// Creates an empty bag.
    ///
    /// - Parameter name: The name, for errors.
    public init(_ name: String) { self.name = name }

    /// The number of resources that the bag holds.
    public var count: Int {
        state.withLock { if case .open(let entries) = $0 { entries.count } else { 0 } }
    }

    /// Acquires a resource, and keeps its release.
    ///
    /// If the bag is released while `make` runs, the new resource is released at once.
    ///
    /// - Parameters:
    ///   - resource: The name of the resource, for errors.
    ///   - make: Acquires the resource.
    ///   - release: Releases it. Runs at most once.
    /// - Throws: The error of `make`; ``PoolError`` with the code ``/Axiom/ErrorCode/bagReleased`` if the bag was released.
    public func acquire<R: Sendable>(
        _ resource: String,
        isolation: isolated (any Actor)? = #isolation,
        _ make: nonisolated(nonsending) () async throws -> R,
        release: @escaping @Sendable (R) async throws -> Void
    ) async throws -> R {
        guard state.withLock({ if case .open = $0 { true } else { false } }) else {
            throw PoolError.bagReleased(name, resource)
        }
        let value = try await make()
        let entry: Release = {
            do {
                try await release(value)
                return nil
            } catch {
                return error
            }
        }
        let isKept = state.withLock { state in
            guard case .open(let entries) = state else { return false }
            state = .open(entries + [(resource, entry)])
            return true
        }
        if isKept { return value }
        _ = await Task.detached(executorPreference: inheritedExecutor) { await entry() }.value
        throw PoolError.bagReleased(name, resource)
    }

    /// Releases all resources, in the reverse order of their acquisition, and waits for them. Further calls wait for the
    /// same release, and throw the same error; a call from within a release of the bag returns at once.
    ///
    /// The wait has no limit, because a release that is abandoned may still use what is released next. The releases run
    /// on a task that is not cancelled with the caller.
    ///
    /// - Throws: ``PoolError`` with the code ``/Axiom/ErrorCode/releaseFailed``, after all resources, if releases threw.
    ///   Its message names each resource with its error.
    public func release() async throws {
        let failures = await failures()
        if !failures.isEmpty { throw PoolError.releaseFailed(name, failures) }
    }

    private func failure(after error: any Error) async -> PoolError? {
        let failures = await failures()
        return failures.isEmpty ? nil : .releaseFailed(name, failures, after: error)
    }

    private func failures() async -> Failures {
        if Self.releasing.contains(ObjectIdentifier(self)) { return [] }
        return switch state.withLock({ Self.begin(&$0) }) {
        case .open(let entries): await release(entries)
        case .releasing(let ends): await ends[0].value
        case .released(let known): known
        }
    }

    /// Begins the release, or joins it.
    ///
    /// - Returns: The entries to release; the end to wait for; or the failures of a release that has ended.
    private static func begin(_ state: inout State) -> State {
        switch state {
        case .open(let entries):
            state = .releasing([])
            return .open(entries)
        case .releasing(let ends):
            let end = OneShot<Failures>()
            state = .releasing(ends + [end])
            return .releasing([end])
        case .released:
            return state
        }
    }

    private func release(_ entries: [(name: String, release: Release)]) async -> Failures {
        let releasing = Self.releasing.union([ObjectIdentifier(self)])
        let failures = await Task.detached(executorPreference: inheritedExecutor) {
            var failures: Failures = []
            for (name, release) in entries.reversed() {
                let error = await Self.$releasing.withValue(releasing) { await release() }
                if let error { failures.append((name, error)) }
            }
            return failures
        }.value
        let ends = state.withLock { state -> [OneShot<Failures>] in
            defer { state = .released(failures) }
            if case .releasing(let ends) = state { return ends }
            return []
        }
        for end in ends { end.settle(failures) }
        return failures
    }

    /// Runs `body` with a new bag, and releases the bag when `body` ends, even if it throws.
    ///
    /// - Throws: The error of `body`, or that of ``release()``. If both fail, the error of the release has the error of
    ///   `body` as its cause, and names it.
    public static func with<R>(
        _ name: String,
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) (ResourceBag) async throws -> R
    ) async throws -> R {
        let bag = ResourceBag(name)
        let value: R
        do {
            value = try await body(bag)
        } catch {
            guard let failure = await bag.failure(after: error) else { throw error }
            throw failure
        }
        try await bag.release()
        return value
    }
}
