// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// Forwards the critical errors of an application, for example to a crash reporter, a log or a pager.
public protocol ErrorSink: Sendable {
    /// Receives one error. Calls do not overlap and run in a task of their own, never on the path on which the error
    /// ended. Up to 100 errors are queued. Errors that do not fit into the queue, and errors for which this method
    /// throws, are counted as dropped.
    func receive(_ error: EndedError) async throws
}
