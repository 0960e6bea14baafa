// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Detects that the peer of a suspended connection has disconnected, or has sent more.
///
/// libmicrohttpd does not poll suspended connections, so a thread waits for `EPOLLRDHUP` on them, or for bytes. Connections
/// are identified by the ID of their request: a late event of a connection that has ended has no effect.
final class DisconnectWatcher: Sendable {
    private let poll: EventPoll
    private let thread: WorkerThread

    /// Starts the thread, which calls `onEvent` with the ID, and whether the peer has disconnected.
    ///
    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors or threads.
    init(onEvent: @escaping @Sendable (UInt64, Bool) -> Void) throws {
        let poll = try EventPoll()
        let started = WorkerThread {
            let ends = PollEvents.hangup | UInt32(POLLHUP) | UInt32(POLLERR)
            while !poll.isStopped { poll.wait { onEvent($0, $1 & ends != 0) } }
        }
        guard let started else { throw HTTPServerError.descriptors(EAGAIN) }
        (self.poll, thread) = (poll, started)
    }

    /// Reports `id` when the peer of `descriptor` closes or resets, once. The descriptor must stay open until
    /// ``unwatch(_:)``.
    func watch(_ descriptor: CInt, id: UInt64) {
        // One shot: the event of a closed peer would repeat.
        poll.add(descriptor, PollEvents.hangup | PollEvents.oneShot, id: id)
    }

    /// Reports `id` each time that bytes arrive at `descriptor`, and when its peer closes or resets. As ``watch(_:id:)``.
    func watchBytes(_ descriptor: CInt, id: UInt64) {
        poll.add(descriptor, PollEvents.readable | PollEvents.hangup | PollEvents.edgeTriggered, id: id)
    }

    /// Ends a watch. A pending event may still be reported.
    func unwatch(_ descriptor: CInt) {
        poll.remove(descriptor)
    }

    /// Ends the thread and waits for it. To be called once, after the last watch, and not from `onEvent`.
    func stop() {
        poll.stop()
        thread.join()
    }
}
