// SPDX-License-Identifier: Apache-2.0

internal import Observation
internal import Synchronization

/// The time between two mounts, covers, uncovers or unmounts of a presentation.
///
/// Each render observes it, so the end of a generation ends the observation of all that its last render read. Without it,
/// an observation would stay until something that it read changes: after each unmount of a presentation that reads a
/// feature flag, the flag would keep one more.
final class RenderGeneration: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let hasEnded = Atomic(false)

    /// Whether nothing that belongs to it is rendered any more.
    var isOver: Bool { hasEnded.load(ordering: .acquiring) }

    /// Reports the end to whatever observes the calling code.
    func observe() {
        registrar.access(self, keyPath: \.isOver)
    }

    /// Ends the generation, and the observations of its renders.
    func end() {
        hasEnded.store(true, ordering: .releasing)
        registrar.willSet(self, keyPath: \.isOver)
        registrar.didSet(self, keyPath: \.isOver)
    }
}
