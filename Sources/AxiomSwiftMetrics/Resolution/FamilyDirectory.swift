// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// Which labels a factory shows, under which names.
final class FamilyDirectory: Sendable {
    private struct State {
        /// The kinds and labels that have been seen.
        var admitted: Set<ByteName> = []
        /// The label that was the first to become each name; its help stands on the page.
        var owners: [String: String] = [:]
    }

    /// The most bytes of a label. It becomes the name of a metric, of which all is kept.
    static let maximumLabelLength = 1_024

    let options: SwiftMetricsOptions
    let log: ProblemLog
    /// Of the look-ups of all handlers.
    let epochs = ReadEpochs()
    /// Guarded by its lock, which is held for nothing but look-ups and insertions.
    private let state = Lock(State())

    init(options: SwiftMetricsOptions, log: ProblemLog) {
        self.options = options
        self.log = log
    }

    /// Whether there is room for a label, or it has been admitted already.
    func admit(_ kind: SeriesKind, _ label: String) -> Bool {
        guard label.utf8.count <= Self.maximumLabelLength else {
            log.error(
                "The \(kind.rawValue) \(label.prefix(64))… is not shown: its label has \(label.utf8.count) bytes. Use at most "
                    + "\(Self.maximumLabelLength), and dimensions for what varies."
            )
            return false
        }
        let hasRoom = state.withLock { state in
            let route = ByteName("\(kind) \(label)")
            if state.admitted.contains(route) { return true }
            guard state.admitted.count < options.metricLimit else { return false }
            state.admitted.insert(route)
            return true
        }
        if !hasRoom {
            log.error(
                "There are \(options.metricLimit) labels already: further ones are not shown. Use dimensions for what "
                    + "varies, or raise metricLimit."
            )
        }
        return hasRoom
    }

    /// Registers the family of a label; nil when it cannot be shown, which the log says.
    func register<Child>(
        _ kind: SeriesKind,
        _ label: String,
        _ register: (_ name: String, _ help: String, _ label: String) throws(MetricsError) -> OpenFamily<Child>
    ) -> OpenFamily<Child>? {
        let name = kind.familyName(for: label)
        let owner = state.withLock { state in
            let owner = state.owners[name] ?? label
            state.owners[name] = owner
            return owner
        }
        do throws(MetricsError) {
            let family = try register(name, options.help(for: owner), label)
            if ByteName(owner) != ByteName(label) {
                log.warn("The labels \(owner) and \(label) are both shown as \(name): rename one of the two.")
            }
            return family
        } catch {
            log.error("The \(kind.rawValue) \(label) is not shown: \(error.message)")
            return nil
        }
    }
}
