// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CMicrohttpd
internal import Foundation

/// The events of descriptors (epoll), and a wake for the one thread that waits for them.
final class EventPoll: Sendable {
    private static let wakeID = UInt64.max

    private let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
    private let waker = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
    private let stops = Lock(false)

    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors.
    init() throws {
        guard epoll >= 0, waker >= 0, add(waker, PollEvents.readable, id: Self.wakeID) else {
            throw HTTPServerError.descriptors(errno)
        }
    }

    deinit {
        for descriptor in [epoll, waker] where descriptor >= 0 { close(descriptor) }
    }

    /// Reports `id` with the events of a descriptor. Returns false and leaves `errno` if that is impossible.
    @discardableResult
    func add(_ descriptor: CInt, _ interest: UInt32, id: UInt64) -> Bool {
        var event = epoll_event(events: interest, data: epoll_data_t(u64: id))
        return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    /// Ends the reports. A pending event may still be reported.
    func remove(_ descriptor: CInt) {
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    /// Waits, and passes the events that there are: none after a wake, a signal, or the time.
    ///
    /// - Parameter milliseconds: How long to wait at most; -1 without a limit.
    func wait(_ milliseconds: CInt = -1, _ body: (_ id: UInt64, _ events: UInt32) -> Void) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
            // Debian 13 declares it with a pointer that is not optional.
            guard let first = events.baseAddress else { return }
            let count = epoll_wait(epoll, first, CInt(events.count), milliseconds)
            for event in events.prefix(max(0, Int(count))) {
                guard event.data.u64 == Self.wakeID else {
                    body(event.data.u64, event.events)
                    continue
                }
                var wakes = eventfd_t()
                eventfd_read(waker, &wakes)
            }
        }
    }

    /// Ends the present wait, or the next one. On any thread.
    func wake() {
        eventfd_write(waker, 1)
    }

    /// Wakes the thread and tells it to end.
    func stop() {
        stops.withLock { $0 = true }
        wake()
    }

    var isStopped: Bool { stops.withLock { $0 } }
}
