// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Runs a body in two tasks at the same time; both begin when both have arrived.
enum TaskPair {
    private final class Meeting: Sendable {
        let arrived = Atomic<Int>(0)

        func meet() {
            arrived.add(1, ordering: .acquiringAndReleasing)
            while arrived.load(ordering: .acquiring) < 2 {}
        }
    }

    static func run(_ body: @escaping @Sendable () async -> Void) async {
        let meeting = Meeting()
        let other = Task.detached {
            meeting.meet()
            await body()
        }
        meeting.meet()
        await body()
        await other.value
    }
}
