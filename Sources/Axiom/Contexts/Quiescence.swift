// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// Tells tests what the contexts of one orchestrator do. An application has none.
@MainActor
package protocol ContextTap: AnyObject {
    /// A phase of a context's life begins.
    func began(_ phase: LifecyclePhase, of context: any Context)
    /// A phase of a context's life has ended, and its error was settled.
    func ended(_ phase: LifecyclePhase, of context: any Context)
    /// A context is about to apply a state that it observes.
    func willApply(_ state: any OwnedState, to context: any Context)
    /// A context has applied a state, or has thrown.
    func didApply(_ state: any OwnedState, to context: any Context)
}

/// Lets a test wait until nothing is under way in one orchestrator.
///
/// What can end the wait reports ``changed()``, and the condition is then checked on the main actor, when the reporting
/// job has ended. Nothing is polled. Without a waiting test a report costs one comparison.
@MainActor
package final class Quiescence {
    private struct Waiter {
        let id: Int
        let isQuiet: @MainActor () -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// Whether operations are followed while they wait for a test. Set by the testing kit.
    package var followsWaits = false
    /// Is told what contexts do; nil in an application.
    package weak var tap: (any ContextTap)?

    private var waiters: [Waiter] = []
    private var lastWaiter = 0
    private var isCheckScheduled = false
    private var works: [ObjectIdentifier: TestWork] = [:]
    /// Contexts that were unmounted while operations of theirs were under way.
    private var unmounted: [WeakRuntime] = []
    /// Jobs of the framework that no operation waits for.
    private nonisolated let jobs = Atomic(0)

    nonisolated init() {}

    /// A job of the framework was created that no operation waits for.
    nonisolated func begin() { jobs.add(1, ordering: .acquiringAndReleasing) }

    /// Such a job has ended.
    func end() {
        jobs.subtract(1, ordering: .acquiringAndReleasing)
        changed()
    }

    /// New waits for an operation; nil outside of the testing kit.
    func makeWaits(parent: @autoclosure () -> TestWaits? = nil) -> TestWaits? {
        followsWaits ? TestWaits(parent: parent()) { [weak self] in self?.changedElsewhere() } : nil
    }

    /// Something has ended, or waits now. The waiting tests check their conditions.
    func changed() {
        guard !waiters.isEmpty, !isCheckScheduled else { return }
        isCheckScheduled = true
        Task.onMainActor { check() }
    }

    private nonisolated func changedElsewhere() { Task.onMainActor { check() } }

    private func check() {
        isCheckScheduled = false
        let ready = waiters.filter { $0.isQuiet() }
        waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }

    /// Waits until `isQuiet` holds and no job or work is under way.
    ///
    /// - Parameter limit: How long to wait, in real time.
    /// - Returns: False if the limit expired first.
    package func wait(
        upTo limit: Duration = .seconds(60),
        _ isQuiet: @escaping @MainActor () -> Bool
    ) async -> Bool {
        let condition = { @MainActor in self.isIdle && isQuiet() }
        // Everything that was created before has begun, or is counted, when this job runs.
        await Task.onMainActor {}.value
        while !condition() {
            guard await park(upTo: limit, condition) else { return false }
        }
        return true
    }

    private func park(upTo limit: Duration, _ condition: @escaping @MainActor () -> Bool) async -> Bool {
        lastWaiter += 1
        let id = lastWaiter
        let timer = Task.onMainActor { [weak self] in
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            self?.expire(id)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            // Again, because each `await` since the last time may have let others run: on an executor of a test it does.
            guard !condition() else { return continuation.resume(returning: true) }
            waiters.append(Waiter(id: id, isQuiet: condition, continuation: continuation))
        }
    }

    private func expire(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).continuation.resume(returning: false)
    }
}

/// Work that a test began and that it follows.
@MainActor
package final class TestWork {
    /// What it does, as in `action add`.
    package let name: String
    let waits: TestWaits
    /// Whether it has ended.
    package fileprivate(set) var hasEnded = false

    fileprivate init(_ name: String, _ waits: TestWaits) { (self.name, self.waits) = (name, waits) }

    /// Whether it waits for the time or for a simulated capability.
    package var isWaiting: Bool { waits.isWaiting }
}

extension Quiescence {
    /// Begins work of a test. It counts as under way until it has ended or waits for the test.
    package func begin(_ name: String, _ body: @escaping @MainActor () async -> Void) -> TestWork {
        let waits = TestWaits { [weak self] in self?.changedElsewhere() }
        let work = TestWork(name, waits)
        works[ObjectIdentifier(work)] = work
        TestWaits.bind(waits) {
            _ = Task.onMainActor {
                await body()
                work.hasEnded = true
                works[ObjectIdentifier(work)] = nil
                changed()
            }
        }
        return work
    }

    /// The works of the test that have not ended.
    package var unendedWorks: [TestWork] { Array(works.values) }

    private var isIdle: Bool {
        jobs.load(ordering: .acquiring) == 0 && works.values.allSatisfy(\.isWaiting)
            && leaving.allSatisfy(\.isQuiet)
    }
}

// MARK: - Contexts

private struct WeakRuntime {
    weak var runtime: ContextRuntime?
}

extension Quiescence {
    /// A context was unmounted. It is followed until its operations have ended.
    func wasUnmounted(_ runtime: ContextRuntime) {
        guard runtime.unended > 0 else { return }
        unmounted.removeAll { ($0.runtime?.unended ?? 0) == 0 }
        unmounted.append(WeakRuntime(runtime: runtime))
    }

    /// The unmounted contexts that have operations under way.
    var leaving: [ContextRuntime] { unmounted.compactMap(\.runtime).filter { $0.unended > 0 } }
}

extension ContextRuntime {
    /// Whether nothing is under way in the tree: every observation waits with nothing pending, and no operation and no
    /// retry is under way, unless it waits for the test.
    var isQuiet: Bool {
        switch life {
        case .covering, .disappearing:
            guard testWaits[ObjectIdentifier(self)]?.isWaiting == true else { return false }
        case .appearing where unended == 0: return false
        case .pending, .appearing, .visible, .covered, .gone: break
        }
        let children = downstreamRuntimes
        if life == .visible, children.first(where: { !$0.hasAppeared })?.life == .pending { return false }
        return working == 0
            && observations.values.allSatisfy(\.isIdle)
            && children.allSatisfy(\.isQuiet)
    }

    /// The number of operations that are under way and do not wait for the test.
    var working: Int {
        unended - testWaits.count { $0.key != ObjectIdentifier(self) && $0.value.isWaiting }
    }

    private var hasAppeared: Bool { life != .pending && life != .appearing }

    /// Returns when ``isQuiet`` holds.
    ///
    /// - Returns: False if the limit expired first, in real time.
    func quiet(upTo limit: Duration = .seconds(60)) async -> Bool {
        guard let quiescence = supervisor?.quiescence else { return isQuiet }
        return await quiescence.wait(upTo: limit) { [weak self] in self?.isQuiet ?? true }
    }
}

extension Context {
    /// Returns when nothing is under way in this context and those below it, and no rendering is due: every observation
    /// waits with nothing pending, and no operation and no retry is under way, unless it waits for the test.
    ///
    /// - Returns: False if the limit expired first, in real time.
    @discardableResult
    package func quiet(upTo limit: Duration = .seconds(60)) async -> Bool {
        await runtime.quiet(upTo: limit)
    }

    /// What is under way in this context, for a failure: the suspended operations that do not wait for the test, and the
    /// observations that have states to apply.
    package var underWay: (operations: Int, observations: Int) {
        (runtime.working, runtime.observations.values.filter { !$0.isIdle }.count)
    }
}
