// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The waits of one piece of work that only a test ends: for a ``ManualTime``, or for a simulated capability.
///
/// A test binds it to the task of the work. The tasks that the work begins inherit it, except detached ones. Nothing is
/// bound outside of tests, and then a wait costs one read of a task-local value.
package final class TestWaits: Sendable {
    /// The waits of the work that this task belongs to; nil outside of tests.
    @TaskLocal package static var current: TestWaits?

    private let count = Atomic(0)
    private let parent: TestWaits?
    private let changed: @Sendable () -> Void

    /// - Parameters:
    ///   - parent: The work that waits for this work; it waits whenever this one does.
    ///   - changed: Called when a wait has begun, on any thread.
    package init(parent: TestWaits? = nil, changed: @escaping @Sendable () -> Void) {
        self.parent = parent
        self.changed = changed
    }

    /// Whether the work waits for the test.
    package var isWaiting: Bool { count.load(ordering: .acquiring) > 0 }

    /// A wait has begun: the test can end it.
    package func begin() {
        count.add(1, ordering: .acquiringAndReleasing)
        parent?.begin()
        changed()
    }

    /// The test has ended a wait. Called before the work continues.
    package func end() {
        count.subtract(1, ordering: .acquiringAndReleasing)
        parent?.end()
    }

    /// Runs `body`, and the tasks that it begins, under `waits`; as they are if it is nil.
    package static func bind<R>(_ waits: TestWaits?, _ body: () throws -> R) rethrows -> R {
        guard let waits else { return try body() }
        return try $current.withValue(waits, operation: body)
    }
}
