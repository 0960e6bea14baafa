// SPDX-License-Identifier: Apache-2.0

internal import HeapModule

/// One timer of the live clock for many calls with a deadline, most of which end before it.
///
/// A task that sleeps for each call costs more than a short call: the start of the task, and an entry in the system's timers,
/// which stays until the deadline although the call has ended. Here a call costs a lock and a place in a heap. The timer is
/// a task only while there are entries.
package final class SharedTimer: Sendable {
    /// What to do at an instant. Its properties are guarded by the lock of the timer.
    package final class Entry: Comparable, @unchecked Sendable {
        fileprivate let instant: Instant
        /// Nil after it was taken to run, or removed.
        fileprivate var ring: (@Sendable () -> Void)?

        fileprivate init(at instant: Instant, _ ring: @escaping @Sendable () -> Void) {
            (self.instant, self.ring) = (instant, ring)
        }

        package static func < (left: Entry, right: Entry) -> Bool { left.instant < right.instant }
        package static func == (left: Entry, right: Entry) -> Bool { left.instant == right.instant }
    }

    private struct State {
        var entries = Heap<Entry>()
        /// How many of the entries were removed. They leave the heap when they are half of it, or at their instant.
        var removed = 0
        /// Until when a task sleeps; nil without a task.
        var wakesAt: Instant?
        var task: Task<Void, Never>?
        /// The number of the task. One with another number wakes for nothing.
        var number: UInt64 = 0
    }

    /// The timer of the process.
    package static let live = SharedTimer()

    private let clock = TimeSource.live
    private let state = Lock(State())

    /// Makes a timer without entries.
    package init() {}

    /// Calls `ring` at `instant` or a little later, unless the entry is removed before.
    ///
    /// - Parameter ring: Runs in a task of its own, so that it delays no other.
    package func add(at instant: Instant, _ ring: @escaping @Sendable () -> Void) -> Entry {
        let entry = Entry(at: instant, ring)
        let replaced = state.withLock { state -> Task<Void, Never>? in
            state.entries.insert(entry)
            return sleepUntilFirst(&state)
        }
        replaced?.cancel()
        return entry
    }

    /// Prevents the call. Returns false if it has begun already.
    @discardableResult
    package func remove(_ entry: Entry) -> Bool {
        // Released outside of the lock: what the call captures, and the old heap with its entries.
        let released = state.withLock { state -> (ring: @Sendable () -> Void, heap: Heap<Entry>?)? in
            guard let ring = entry.ring.take() else { return nil }
            state.removed += 1
            guard state.removed > 64, state.removed > state.entries.count / 2 else { return (ring, nil) }
            let heap = state.entries
            state.entries = Heap(heap.unordered.filter { $0.ring != nil })
            state.removed = 0
            return (ring, heap)
        }
        return released != nil
    }

    /// How many entries the heap has, removed ones among them.
    package var count: Int { state.withLock { $0.entries.count } }

    /// Sees to it that a task sleeps until the first entry. Returns the task that slept until a later instant.
    private func sleepUntilFirst(_ state: inout State) -> Task<Void, Never>? {
        guard let first = state.entries.min?.instant else { return nil }
        if let wakesAt = state.wakesAt, wakesAt <= first { return nil }
        let replaced = state.task
        state.number += 1
        state.wakesAt = first
        // Above the tasks that it has to end, which may keep all threads busy.
        state.task = Task.detached(priority: .high) { [number = state.number] in
            guard (try? await self.clock.sleep(until: first)) != nil else { return }
            for ring in self.due(number) { Task.detached(priority: .high) { ring() } }
        }
        return replaced
    }

    /// What is due by now. Another task sleeps until the next entry.
    private func due(_ number: UInt64) -> [@Sendable () -> Void] {
        let now = clock.now
        return state.withLock { state in
            guard state.number == number else { return [] }
            var due: [@Sendable () -> Void] = []
            while let first = state.entries.min, first.instant <= now || first.ring == nil {
                state.entries.removeMin()
                if let ring = first.ring.take() { due.append(ring) } else { state.removed -= 1 }
            }
            (state.wakesAt, state.task) = (nil, nil)
            _ = sleepUntilFirst(&state)
            return due
        }
    }
}

/// Acts once at an instant of a clock, unless it is cancelled before.
package struct Alarm: Sendable {
    private let task: Task<Void, Never>

    /// Sets an alarm. Its task inherits neither the actor nor the task-local values of the caller.
    package init(at instant: Instant, on clock: TimeSource, _ ring: @escaping @Sendable () async -> Void) {
        task = Task.detached(executorPreference: inheritedExecutor) {
            if (try? await clock.sleep(until: instant)) != nil { await ring() }
        }
    }

    /// Sets an alarm for the end of a time from now.
    package init(after time: Duration, on clock: TimeSource, _ ring: @escaping @Sendable () async -> Void) {
        self.init(at: clock.now.advanced(by: time), on: clock, ring)
    }

    /// Prevents the alarm. If it acts already, it is not interrupted, but its task is cancelled.
    package func cancel() { task.cancel() }
}
