// SPDX-License-Identifier: Apache-2.0

/// A source of metrics that are known only when someone asks: which components live, what the kernel says of a process.
///
/// A collector is asked at every scrape, on the scraping thread, and by several at once when scrapes overlap. It must
/// not wait. What it returns is checked: a family with a fault is left out and reported in ``Snapshot/problems``, and
/// nothing else on the page suffers.
public protocol Collector: Sendable {
    /// The families as they are now.
    ///
    /// - Throws: Anything. All families of this collector are then missing from the page, and the error is reported.
    func collect() throws -> [CollectedFamily]
}
