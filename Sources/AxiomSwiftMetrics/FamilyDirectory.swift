// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Logging
internal import Synchronization

/// The labels that a factory shows, and their names.
final class FamilyDirectory: Sendable {
    private struct State {
        /// The kinds and labels that have been seen.
        var admitted: Set<ByteName> = []
        /// The first label with each name, whose help text is shown.
        var owners: [String: String] = [:]
    }

    /// The most bytes of a label, which becomes the name of a metric.
    static let maximumLabelLength = 1_024

    let options: SwiftMetricsOptions
    let log: FamilyProblemLog
    /// The epochs of the look-ups of all handlers.
    let epochs = ReadEpochs()
    /// The lock is held only for look-ups and insertions.
    private let state = Lock(State())

    init(options: SwiftMetricsOptions, log: FamilyProblemLog) {
        self.options = options
        self.log = log
    }

    /// Whether a label was admitted before or there is room for it.
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

    /// Registers the family of a label; logs an error and returns nil if it cannot be shown.
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

/// Logs each message once, and counts refused values.
final class FamilyProblemLog: Sendable {
    /// The most different messages that are logged.
    static let capacity = 4_096

    private let logger: Logger
    /// The hashes of the messages. The lock is not held while the logger runs.
    private let said = Lock<Set<UInt64>>([])
    /// Random, so that a message cannot be chosen to suppress another one.
    private let seed = UInt64.random(in: .min ... .max)
    private let refused = Atomic<UInt64>(0)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// The number of refused values.
    var refusals: UInt64 { refused.load(ordering: .relaxed) }

    /// Logs once why a metric is not shown.
    func error(_ message: String) {
        once(.error, message)
    }

    /// Logs a warning once.
    func warn(_ message: String) {
        once(.warning, message)
    }

    private func once(_ level: Logger.Level, _ message: String) {
        var text = message
        let hash = text.withUTF8 { ByteHash.hash(UnsafeRawBufferPointer($0), seed: seed) }
        let isNew = said.withLock { $0.count < Self.capacity && $0.insert(hash).inserted }
        if isNew { logger.log(level: level, "\(message)") }
    }

    /// Counts a refused value, and logs the first one.
    func refuse(_ what: String, of family: String) {
        refused.wrappingAdd(1, ordering: .relaxed)
        warn("\(family) refused \(what): further ones are counted in refusedValues.")
    }
}

/// The kind of metric for a label, which determines the family's name and type.
enum SeriesKind: String {
    case counter
    case floatCounter = "floating-point counter"
    case gauge
    case recorder
    case timer

    /// The required suffix of the family's name.
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

/// Converts any text to names and labels that Prometheus accepts.
enum PrometheusName {
    /// Replaces each Unicode scalar except ASCII letters, digits and underscores by an underscore, and puts an underscore
    /// before a digit at the start or for an empty text.
    static func sanitized(_ text: String) -> String {
        if isName(text) { return text }
        var name = ""
        for scalar in text.unicodeScalars { name.unicodeScalars.append(isAllowed(scalar) ? scalar : "_") }
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { return "_" + name }
        return name
    }

    /// A valid label name that is not reserved.
    static func label(_ text: String) -> String {
        let name = sanitized(text)
        if name == "le" || name == "quantile" { return "exported_" + name }
        return name.hasPrefix("__") ? "_" + name.drop { $0 == "_" } : name
    }

    /// The labels of a series, each name once. The values of dimensions with the same name are joined by semicolons in the
    /// order of the original names, or of the values if those are equal, as in OpenTelemetry's mapping to Prometheus
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

    /// Compares bytes: texts that Swift considers equal in two encodings would have no order, and the series no unique
    /// name.
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
