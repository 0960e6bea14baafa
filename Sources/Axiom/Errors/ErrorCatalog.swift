// SPDX-License-Identifier: Apache-2.0

/// The meaning and the remedy of each of the framework's codes: the source of Documentation/error-codes.md, and of the
/// default facts of an error.
package enum ErrorCatalog {
    /// The entry of one code.
    package struct Entry: Sendable, Hashable {
        package let code: ErrorCode
        /// Its meaning, in one line.
        package let meaning: String
        /// The remedy, in one line.
        package let remedy: String
        package let severity: ErrorSeverity
        /// The action to offer to the user.
        package let suggestedAction: ErrorAction

        init(
            _ code: ErrorCode,
            _ meaning: String,
            remedy: String,
            severity: ErrorSeverity = .nonCritical,
            action: ErrorAction = .contactSupport
        ) {
            self.code = code
            self.meaning = meaning
            self.remedy = remedy
            self.severity = severity
            suggestedAction = action
        }

        /// A mistake of the developers. It is critical, as each ``CompositionError``.
        static func mistake(_ code: ErrorCode, _ meaning: String, remedy: String) -> Entry {
            Entry(code, meaning, remedy: remedy, severity: .critical)
        }
    }

    /// All codes of the framework, family by family.
    package static let entries: [Entry] = [
        capabilities, states, clients, requests, contexts, navigation, network, validation, authorization, circuits,
        lifecycle,
        configuration, composition, telemetry, profilers, storages, persistentStates, caches, pools,
        backgroundTasks, offlineWork,
    ]
    .flatMap(\.self)

    /// The entry of `code`; nil for a code that is not the framework's. One dictionary look-up.
    package static func entry(for code: ErrorCode) -> Entry? { byCode[code] }

    /// If a code was entered twice, its last entry applies, instead of a trap; a test finds the duplicate.
    private static let byCode = Dictionary(entries.map { ($0.code, $0) }) { _, last in last }
}
