// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// The sockets of the connections that are open, so that a stop can end them before it stops libmicrohttpd.
///
/// That order matters: when libmicrohttpd 0.9.75 answers a malformed request by itself (400, 431, ...) at the moment in
/// which `MHD_stop_daemon` is called, it dereferences a null pointer, because queueing a response then does nothing
/// and says that it worked. Without connections there is nothing that it could answer.
final class OpenConnections: Sendable {
    private struct State {
        var isClosing = false
        var descriptors: Set<CInt> = []
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// The wait may begin after its time is up.
        var hasGivenUp = false

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// Guards every field, and keeps the sockets in the set open: one leaves it before it is closed.
    private let state = Mutex(State())

    /// A connection was accepted.
    func opened(_ descriptor: CInt) {
        state.withLock { state in
            state.descriptors.insert(descriptor)
            if state.isClosing { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    /// A connection is about to be closed.
    func closed(_ descriptor: CInt) {
        let waiters = state.withLock { state in
            state.descriptors.remove(descriptor)
            return state.descriptors.isEmpty ? state.takeWaiters() : []
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Ends every connection, at both sides, and every one that is still to be opened. What was sent before arrives.
    func hangUp() {
        state.withLock { state in
            state.isClosing = true
            for descriptor in state.descriptors { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    /// Returns when no connection is open, or at ``giveUpWaiting()``. To be called after ``hangUp()``.
    func waitUntilNone() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.descriptors.isEmpty || state.hasGivenUp { return true }
                state.waiters.append(continuation)
                return false
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Ends the wait of ``waitUntilNone()``, also of one that begins later.
    func giveUpWaiting() {
        let waiters = state.withLock { state in
            state.hasGivenUp = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }
}
