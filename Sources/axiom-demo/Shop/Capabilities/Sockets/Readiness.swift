// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// What a socket can be waited for.
enum Readiness: Sendable {
    case readable
    case writable

    private static let queue = DispatchQueue(label: "axiom-demo.sockets")

    /// Waits until `descriptor` is ready or broken, without holding a thread.
    ///
    /// When it returns or throws nothing looks at the descriptor any longer, so that it may be closed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func wait(_ descriptor: CInt) async throws {
        // A source is thread-safe; Dispatch does not declare it.
        nonisolated(unsafe) let source = source(descriptor)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // An event and a cancellation take the same way out: a source's cancel handler runs exactly once,
                // after the source has let go of the descriptor.
                source.setEventHandler { source.cancel() }
                source.setCancelHandler { continuation.resume() }
                source.activate()
            }
        } onCancel: {
            source.cancel()
        }
        try Task.checkCancellation()
    }

    private func source(_ descriptor: CInt) -> any DispatchSourceProtocol {
        switch self {
        case .readable: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        case .writable: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: Self.queue)
        }
    }
}
