// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import Axiom
internal import AxiomBase
internal import CAxiomSupport
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The thread that waits for the descriptors of all sources with poll(2). It runs while at least one is watched.
///
/// The thread only raises flags; the listeners read their descriptors themselves, without blocking. It polls a
/// descriptor only while it is armed, so a listener that does not read causes no work. poll(2) and not epoll(7): there
/// are few descriptors, a one-shot watch needs no system call, and files that epoll refuses are allowed.
final class EventLoop: Sendable {
    /// The loop of the process.
    static let shared = EventLoop()

    /// The flags that a watch raises in addition to its own if its descriptor failed or was closed by the other side.
    static func hangup(of flag: UInt32) -> UInt32 { flag << 16 }

    private struct Watch {
        let descriptor: Int32
        let events: Int16
        let flag: UInt32
        let flags: ReadyFlags
        /// Whether the thread polls it. It is disarmed when it raised its flag.
        var isArmed = false
    }

    private struct State {
        var nextID: UInt64 = 0
        var watches: [UInt64: Watch] = [:]
        /// Descriptors whose watch ended. The thread closes them, because it may be polling them, and because closing a
        /// pressure trigger waits for the kernel.
        var ended: [Int32] = []
        /// Whether the thread is closing descriptors that it has taken out of `ended`.
        var isClosing = false
        /// Listeners that begin when all descriptors that ended are closed.
        var beginners: [CheckedContinuation<Void, Never>] = []
        /// The eventfd that wakes the thread; nil while no thread runs. Written under the lock only, because the thread
        /// closes it.
        var wake: Int32?
    }

    private let state = Lock(State())

    /// Whether the thread runs.
    var isRunning: Bool { state.withLock { $0.wake != nil } }

    /// Watches a descriptor, which then belongs to the loop. It is not armed yet.
    ///
    /// - Throws: `CapabilityError` if the thread cannot be started. The descriptor is closed then.
    func add(_ descriptor: Int32, events: Int16, flag: UInt32, in flags: ReadyFlags) throws -> UInt64 {
        do {
            return try state.withLock { state in
                if state.wake == nil { state.wake = try start() }
                state.nextID += 1
                state.watches[state.nextID] = Watch(descriptor: descriptor, events: events, flag: flag, flags: flags)
                return state.nextID
            }
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Lets a watch raise its flag once.
    func arm(_ id: UInt64) {
        state.withLock { state in
            state.watches[id]?.isArmed = true
            Self.wake(state)
        }
    }

    /// Ends a watch. Its flag is not raised any more, and the thread closes its descriptor.
    func remove(_ id: UInt64) {
        state.withLock { state in
            guard let watch = state.watches.removeValue(forKey: id) else { return }
            state.ended.append(watch.descriptor)
            Self.wake(state)
        }
    }

    /// Waits until the descriptors that ended are closed, so that listeners that begin and end quickly do not reach a
    /// limit of the system, such as that of inotify instances. Closing one takes the kernel some milliseconds.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if state.ended.isEmpty && !state.isClosing { return true }
                state.beginners.append(continuation)
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    private static func wake(_ state: State) {
        guard let wake = state.wake else { return }
        var one: UInt64 = 1
        // Fails only if 2^64 - 2 wake-ups wait.
        _ = write(wake, &one, 8)
    }

    // The thread.

    /// Starts the thread and returns the descriptor that wakes it. Runs under the lock.
    private func start() throws -> Int32 {
        let wake = axiom_eventfd()
        guard wake >= 0 else { throw CapabilityError.failedCall("eventfd", -wake) }
        let entry = Entry(loop: self, wake: wake)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runLoop, Unmanaged.passRetained(entry).toOpaque())
        guard code == 0 else {
            Unmanaged.passUnretained(entry).release()
            close(wake)
            throw CapabilityError.failedCall("pthread_create", code)
        }
        pthread_detach(thread)
        return wake
    }

    fileprivate func run(wake: Int32) {
        var isRunning = true
        while isRunning {
            let armed = state.withLock { $0.watches.filter(\.value.isArmed).map { ($0.key, $0.value) } }
            var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            polled += armed.map { pollfd(fd: $0.1.descriptor, events: $0.1.events, revents: 0) }
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else {
                // The kernel is out of memory, or a signal arrived. The pause keeps the first from becoming a busy loop.
                if errno != EINTR { poll(nil, 0, 10) }
                continue
            }
            if polled[0].revents != 0 { Self.drain(wake) }
            let ready = zip(armed, polled.dropFirst()).filter { $0.1.revents != 0 }.map { ($0.0.0, $0.1.revents) }
            isRunning = deliver(ready)
        }
        close(wake)
    }

    /// Raises the flags of watches that are ready and closes the descriptors of those that ended.
    ///
    /// - Returns: False if no watch is left; the thread must end then.
    private func deliver(_ ready: [(id: UInt64, events: Int16)]) -> Bool {
        let (raised, ended) = state.withLock { state in
            let raised = ready.compactMap { Self.disarm($0.id, after: $0.events, in: &state) }
            defer { state.ended = [] }
            state.isClosing = !state.ended.isEmpty
            return (raised, state.ended)
        }
        for (flags, flag) in raised { flags.raise(flag) }
        for descriptor in ended { close(descriptor) }
        let (beginners, isRunning) = state.withLock { state in
            state.isClosing = false
            if state.watches.isEmpty && state.ended.isEmpty { state.wake = nil }
            defer { if state.ended.isEmpty { state.beginners = [] } }
            return (state.ended.isEmpty ? state.beginners : [], state.wake != nil)
        }
        for beginner in beginners { beginner.resume() }
        return isRunning
    }

    private static func disarm(_ id: UInt64, after events: Int16, in state: inout State) -> (ReadyFlags, UInt32)? {
        guard let watch = state.watches[id] else { return nil }
        state.watches[id]?.isArmed = false
        let hasFailed = events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
        return (watch.flags, watch.flag | (hasFailed ? hangup(of: watch.flag) : 0))
    }

    private static func drain(_ wake: Int32) {
        var count: UInt64 = 0
        _ = read(wake, &count, 8)
    }
}

/// What the thread receives.
private final class Entry: Sendable {
    let loop: EventLoop
    let wake: Int32

    init(loop: EventLoop, wake: Int32) {
        (self.loop, self.wake) = (loop, wake)
    }
}

/// The body of the thread.
private func runLoop(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let entry = Unmanaged<Entry>.fromOpaque(argument).takeRetainedValue()
    // The application's handlers run on its own threads.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    axiom_name_thread("axiom-events")
    entry.loop.run(wake: entry.wake)
    return nil
}

/// A descriptor that the event loop watches. It is closed when this object is destroyed.
final class DescriptorWatch: Sendable {
    /// Open as long as this object lives.
    let descriptor: Int32
    private let id: UInt64

    /// Takes a descriptor over. Each ``arm()`` raises `flag` once, when one of the events of poll(2) happens.
    ///
    /// - Throws: `CapabilityError` if the thread of the loop cannot be started. The descriptor is closed then.
    init(_ descriptor: Int32, events: Int32, flag: UInt32, in flags: ReadyFlags) throws {
        self.descriptor = descriptor
        id = try EventLoop.shared.add(descriptor, events: Int16(events), flag: flag, in: flags)
    }

    deinit {
        EventLoop.shared.remove(id)
    }

    /// Raises the flag when the next event happens, or at once if it has happened.
    func arm() {
        EventLoop.shared.arm(id)
    }
}
#endif
