// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The labels of a family's series in the order of the page. Shared by all snapshots until a series comes or goes, and
/// so is what encoders render from them.
final class SeriesList: Sendable {
    /// A form in which encoders render the labels.
    enum Form: Hashable, Sendable {
        /// What stands behind a classic name on a line, or behind one in quotes, with the labels' names as escaped.
        case line(isQuoted: Bool, NameEscaping)
        /// A message of Prometheus' protocol buffers.
        case message(NameEscaping)
    }

    /// One for each series, sorted, without duplicates.
    let labels: [LabelSet]
    /// When each series was made, in seconds since 1970; empty when that is not known.
    let created: [Double]
    /// Guarded by its lock; made when an encoder first asks.
    private let renderings = Lock<[Form: PackedBytes]>([:])

    /// One series, without labels.
    static let unlabelled = SeriesList([.none])

    init(_ labels: [LabelSet], created: [Double] = []) {
        self.labels = labels
        self.created = created
    }

    /// The labels of all series in an encoder's own form, rendered once for each list.
    func rendering(_ form: Form, _ render: (_ series: Int, inout [UInt8]) -> Void) -> PackedBytes {
        if let present = renderings.withLock({ $0[form] }) { return present }
        var rendered = PackedBytes()
        for index in labels.indices { rendered.append { render(index, &$0) } }
        rendered.seal()
        renderings.withLock { [rendered] in $0[form] = rendered }
        return rendered
    }
}
