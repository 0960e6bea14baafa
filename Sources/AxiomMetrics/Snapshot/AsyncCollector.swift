// SPDX-License-Identifier: Apache-2.0

/// A ``Collector`` that waits for its answer: from a database, an actor, another process.
///
/// It is asked by ``Registry/collect(deadline:)`` and cancelled when the deadline passes; it should then end soon. It is
/// never asked again before it has ended. What it returns is checked as that of a ``Collector``.
public protocol AsyncCollector: Sendable {
    /// The families as they are now.
    ///
    /// - Throws: Anything. All families of this collector are then missing from the page, and the error is reported.
    func collect() async throws -> [CollectedFamily]
}
