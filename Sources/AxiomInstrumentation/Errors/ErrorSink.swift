// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomMetrics

/// Forwards the critical errors of an application, for example to a crash reporter, a log or a pager.
public protocol ErrorSink: Sendable {
    /// Receives one error. Calls do not overlap and run in a task of their own, never on the path on which the error
    /// ended. Up to 100 errors are queued. Errors that do not fit into the queue, and errors for which this method
    /// throws, are counted as dropped.
    func receive(_ error: EndedError) async throws
}

extension DeliveryQueue<EndedError> {
    /// Delivers critical errors to a sink, in a task of its own.
    ///
    /// - Parameters:
    ///   - full: Counts the errors that did not fit into the queue.
    ///   - failed: Counts the errors for which the sink threw an error.
    convenience init(to sink: any ErrorSink, full: Counter, failed: Counter) {
        self.init(full: full) { queue in
            Task.detached(priority: .utility) {
                while let error = queue.next() {
                    do {
                        try await sink.receive(error)
                    } catch {
                        failed.increment()
                    }
                }
            }
        }
    }
}
