// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The labels of a family's series in the order of the page. Shared by all snapshots until a series comes or goes, and
/// so is what encoders render from them.
final class SeriesList: Sendable {
    /// Whose rendering of the labels it is; an encoder adds a case of its own.
    struct Form: Hashable, Sendable {
        let name: StaticString

        static func == (left: Form, right: Form) -> Bool { left.name.utf8Start == right.name.utf8Start }
        func hash(into hasher: inout Hasher) { hasher.combine(name.utf8Start) }
    }

    /// One for each series, sorted, without duplicates.
    let labels: [LabelSet]
    /// When each series was made, in seconds since 1970; empty when that is not known.
    let created: [Double]
    /// Guarded by its lock; made when an encoder first asks.
    private let renderings = Mutex<[Form: LabelBytes]>([:])

    /// One series, without labels.
    static let unlabelled = SeriesList([.none])

    init(_ labels: [LabelSet], created: [Double] = []) {
        self.labels = labels
        self.created = created
    }

    /// The labels of all series in an encoder's own form, rendered once for each list.
    func rendering(_ form: Form, _ render: (LabelSet, inout [UInt8]) -> Void) -> LabelBytes {
        if let present = renderings.withLock({ $0[form] }) { return present }
        var rendered = LabelBytes()
        for set in labels {
            render(set, &rendered.bytes)
            rendered.ends.append(rendered.bytes.count)
        }
        renderings.withLock { [rendered] in $0[form] = rendered }
        return rendered
    }
}

/// Bytes of all series, one after the other.
struct LabelBytes: Sendable {
    fileprivate(set) var bytes: [UInt8] = []
    /// Where each series' bytes end.
    fileprivate(set) var ends: [Int] = []

    /// Where the bytes of a series lie.
    func range(_ series: Int) -> Range<Int> {
        (series == 0 ? 0 : ends[series - 1])..<ends[series]
    }
}
