// SPDX-License-Identifier: Apache-2.0

#if Tools
internal import AxiomBase

/// What several rules need of a project. It is found once. The memo knows no project, because projects refer to it.
final class ProjectMemo: Sendable {
    private let keptComposition = Lock<Composition.Contents?>(nil)
    private let keptGraph = Lock<StaticGraph?>(nil)

    var composition: Composition.Contents? {
        get { keptComposition.withLock(\.self) }
        set { keptComposition.withLock { $0 = newValue } }
    }

    var graph: StaticGraph? {
        get { keptGraph.withLock(\.self) }
        set { keptGraph.withLock { $0 = newValue } }
    }
}

extension Int {
    mutating func raise(to other: Int) { self = Swift.max(self, other) }
}
#endif
