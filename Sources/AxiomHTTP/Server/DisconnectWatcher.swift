// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Detects that the peer of a suspended connection has disconnected, or has sent more.
///
/// libmicrohttpd does not poll suspended connections, so a thread waits for `EPOLLRDHUP` on them, or for bytes. Connections
/// are identified by the ID of their request: a late event of a connection that has ended has no effect.
final class DisconnectWatcher: Sendable {
    /// The ID, and whether the peer has disconnected.
    typealias Event = @Sendable (UInt64, Bool) -> Void

    /// The work of the thread.
    private final class Loop: Sendable {
        let epoll: CInt
        let onEvent: Event

        init(epoll: CInt, onEvent: @escaping Event) {
            self.epoll = epoll
            self.onEvent = onEvent
        }

        func run() {
            var events = [epoll_event](repeating: epoll_event(), count: 64)
            while true {
                let count = epoll_wait(epoll, &events, CInt(events.count), -1)
                // The count is -1 after a signal.
                guard count > 0 else { continue }
                for event in events[..<Int(count)] {
                    if event.data.u64 == DisconnectWatcher.stopID { return }
                    let ends = PollEvents.hangup | UInt32(POLLHUP) | UInt32(POLLERR)
                    onEvent(event.data.u64, event.events & ends != 0)
                }
            }
        }
    }

    private static let stopID = UInt64.max
    private let epoll: CInt
    private let wake: CInt
    private let thread: WorkerThread

    /// Starts the thread, which calls `onEvent`.
    ///
    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors or threads.
    init(onEvent: @escaping Event) throws {
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        wake = eventfd(0, CInt(EFD_CLOEXEC))
        var event = epoll_event(events: PollEvents.readable, data: epoll_data_t(u64: Self.stopID))
        guard epoll >= 0, wake >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0 else {
            throw Self.failure(errno, closing: [epoll, wake])
        }
        let loop = Loop(epoll: epoll, onEvent: onEvent)
        guard let started = WorkerThread({ loop.run() }) else { throw Self.failure(EAGAIN, closing: [epoll, wake]) }
        thread = started
    }

    private static func failure(_ code: CInt, closing descriptors: [CInt]) -> HTTPServerError {
        close(descriptors)
        return .descriptors(code)
    }

    /// Reports `id` when the peer of `descriptor` closes or resets, once. The descriptor must stay open until
    /// ``unwatch(_:)``.
    func watch(_ descriptor: CInt, id: UInt64) {
        // One shot: the event of a closed peer would repeat.
        let interest = PollEvents.hangup | PollEvents.oneShot
        var event = epoll_event(events: interest, data: epoll_data_t(u64: id))
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    /// Reports `id` each time that bytes arrive at `descriptor`, and when its peer closes or resets. As ``watch(_:id:)``.
    func watchBytes(_ descriptor: CInt, id: UInt64) {
        let interest = PollEvents.readable | PollEvents.hangup | PollEvents.edgeTriggered
        var event = epoll_event(events: interest, data: epoll_data_t(u64: id))
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    /// Ends a watch. A pending event may still be reported.
    func unwatch(_ descriptor: CInt) {
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    /// Ends the thread and waits for it. To be called once, after the last watch, and not from `onEvent`.
    func stop() {
        eventfd_write(wake, 1)
        thread.join()
        Self.close([epoll, wake])
    }

    private static func close(_ descriptors: [CInt]) {
        for descriptor in descriptors where descriptor >= 0 { closeDescriptor(descriptor) }
    }
}
