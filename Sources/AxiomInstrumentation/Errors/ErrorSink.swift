// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// Takes the critical errors of an application elsewhere: to a crash reporter, a log, a pager.
public protocol ErrorSink: Sendable {
    /// Takes one error. Called for one error after the other, in a task of its own, never where the error ended. Errors
    /// that come faster than they are taken wait, up to 100 of them; those that find no place, and those for which this
    /// throws, are counted as dropped.
    func receive(_ error: EndedError) async throws
}
