// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Glibc

/// The sockets of the connections that are open, so that a stop can end them before it stops libmicrohttpd.
///
/// That order matters: when libmicrohttpd 0.9.75 answers a malformed request by itself (400, 431, ...) at the moment in
/// which `MHD_stop_daemon` is called, it dereferences a null pointer, because queueing a response then does nothing
/// and says that it worked. Without connections there is nothing that it could answer.
final class OpenConnections: Sendable {
    /// The sockets in the set are open: one leaves it before it is closed.
    let sockets = DrainingSet<CInt>()
    /// Whether connections that are still to be opened end at once. Its lock is held while a socket enters the set and
    /// while all are ended, so that none escapes in between.
    private let isClosing = Lock(false)

    /// A connection was accepted.
    func opened(_ descriptor: CInt) {
        isClosing.withLock { isClosing in
            sockets.insert(descriptor)
            if isClosing { Self.end(descriptor) }
        }
    }

    /// A connection is about to be closed.
    func closed(_ descriptor: CInt) {
        sockets.remove(descriptor)
    }

    /// Ends every connection, at both sides, and every one that is still to be opened.
    func hangUp() {
        isClosing.withLock { isClosing in
            isClosing = true
            sockets.visit(Self.end)
        }
    }

    /// Ends a connection at both sides. What was sent before arrives. The socket stays open.
    static func end(_ descriptor: CInt) {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }
}
