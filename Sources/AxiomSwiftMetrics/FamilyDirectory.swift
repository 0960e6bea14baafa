// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Logging
internal import Synchronization

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

/// Says each thing once, and counts what was refused.
final class ProblemLog: Sendable {
    /// The most things that are remembered to have been said; what is beyond is not said.
    static let capacity = 4_096

    private let logger: Logger
    /// The hashes of the messages. Guarded by its lock, which is not held while the logger runs.
    private let said = Lock<Set<UInt64>>([])
    /// Random, so that no message can be chosen that hides another.
    private let seed = UInt64.random(in: .min ... .max)
    private let refused = Atomic<UInt64>(0)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// How many values were refused.
    var refusals: UInt64 { refused.load(ordering: .relaxed) }

    /// Logs, once, what keeps something off the page.
    func error(_ message: String) {
        once(.error, message)
    }

    /// Logs, once, what makes the page less than it could be.
    func warn(_ message: String) {
        once(.warning, message)
    }

    private func once(_ level: Logger.Level, _ message: String) {
        var text = message
        let hash = text.withUTF8 { ByteHash.hash(UnsafeRawBufferPointer($0), seed: seed) }
        let isNew = said.withLock { $0.count < Self.capacity && $0.insert(hash).inserted }
        if isNew { logger.log(level: level, "\(message)") }
    }

    /// Counts a refused value, and says so the first time.
    func refuse(_ what: String, of family: String) {
        refused.wrappingAdd(1, ordering: .relaxed)
        warn("\(family) refused \(what): further ones are counted in refusedValues.")
    }
}

/// What a label is used as, which decides the family's name and type.
enum SeriesKind: String {
    case counter
    case floatCounter = "floating-point counter"
    case gauge
    case recorder
    case timer

    /// What the name of the family must end in.
    var suffix: String {
        switch self {
        case .counter, .floatCounter: "_total"
        case .timer: "_seconds"
        case .gauge, .recorder: ""
        }
    }

    /// The family's name for a label of this kind.
    func familyName(for label: String) -> String {
        let name = PrometheusName.sanitized(label)
        return name.hasSuffix(suffix) && name != suffix ? name : name + suffix
    }
}

/// Makes names and labels that Prometheus accepts out of any text.
enum PrometheusName {
    /// Letters, digits and underscores of ASCII as they are, everything else as underscores, one for each Unicode
    /// scalar; with an underscore in front where there would be a digit or nothing.
    static func sanitized(_ text: String) -> String {
        if isName(text) { return text }
        var name = ""
        for scalar in text.unicodeScalars { name.unicodeScalars.append(isAllowed(scalar) ? scalar : "_") }
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { return "_" + name }
        return name
    }

    /// A label's name: sanitised, and none of those that are reserved.
    static func label(_ text: String) -> String {
        let name = sanitized(text)
        if name == "le" || name == "quantile" { return "exported_" + name }
        return name.hasPrefix("__") ? "_" + name.drop { $0 == "_" } : name
    }

    /// The labels of a series, each name once. Where several dimensions become one name, their values are joined by
    /// semicolons in the order of the original names (and, where these are the same too, of the values), as
    /// OpenTelemetry's mapping to Prometheus does
    /// (https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#metric-attributes).
    static func labels(_ dimensions: [(String, String)]) -> [(name: String, value: String)] {
        let labels = dimensions.lazy.filter { !$0.1.isEmpty }.map { (name: label($0.0), value: $0.1) }
            .sorted { $0.name < $1.name }
        let clashes = zip(labels, labels.dropFirst()).contains { $0.name == $1.name }
        return clashes ? joined(dimensions) : labels
    }

    private static func joined(_ dimensions: [(String, String)]) -> [(name: String, value: String)] {
        let groups = Dictionary(grouping: dimensions.filter { !$0.1.isEmpty }) { label($0.0) }
        return groups.map { name, clashing in
            (name, clashing.sorted(by: precedes).map(\.1).joined(separator: ";"))
        }
    }

    /// By bytes: what Swift holds for the same text in two spellings would have no order, and so no one series.
    private static func precedes(_ left: (String, String), _ right: (String, String)) -> Bool {
        if left.0.utf8.elementsEqual(right.0.utf8) { return left.1.utf8.lexicographicallyPrecedes(right.1.utf8) }
        return left.0.utf8.lexicographicallyPrecedes(right.0.utf8)
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { isAllowed(Unicode.Scalar($0)) }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
