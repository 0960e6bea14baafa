// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// An instrument, and what its handler needs beside it.
struct Series<Child: Instrument>: Sendable {
    let child: Child
    let family: OpenFamily<Child>
    let log: ProblemLog

    /// Counts a value that would spoil a total.
    @inline(never)
    func refuse(_ what: String) {
        log.refuse(what, of: family.definition.name)
    }
}

/// A handler that records into one instrument. It has no state of its own: two of one instrument are the same.
protocol SeriesHandler<Child>: AnyObject, Sendable {
    associatedtype Child: Instrument

    init(_ series: Series<Child>)

    var series: Series<Child> { get }
}
