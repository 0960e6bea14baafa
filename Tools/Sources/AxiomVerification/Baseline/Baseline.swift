// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
internal import Foundation

/// Findings that a project accepts for now: `axiom-verify.baseline.json`.
///
/// An entry names a rule and an identity, and no line, so it stays valid when code moves. The file has one entry a line in
/// order, so that two branches rarely change the same line.
package struct Baseline: Sendable, Hashable {
    /// Findings with one rule and identity.
    package struct Entry: Sendable, Hashable, Codable {
        package var rule: String
        package var identity: String
        /// How many findings are accepted; 1 unless the file says otherwise.
        package var count: Int?
        /// Why they are accepted.
        package var reason: String

        package init(rule: String, identity: String, count: Int? = nil, reason: String) {
            self.rule = rule
            self.identity = identity
            self.count = count
            self.reason = reason
        }
    }

    private struct Page: Codable {
        var schema: String
        var schemaVersion: Int
        var entries: [Entry]
    }

    private struct Key: Hashable {
        var rule: String
        var identity: String
    }

    private static let schema = "axiom-verify/baseline"
    package static let defaultReason = "found when the baseline was made"
    /// In order of rule and identity; no two have the same.
    package private(set) var entries: [Entry]

    package init(entries: [Entry] = []) {
        self.entries = entries.sorted { ($0.rule, $0.identity) < ($1.rule, $1.identity) }
    }

    /// Reads the file.
    ///
    /// - Throws: ``VerifyError`` that names the path if the file is no baseline.
    package init(bytes: [UInt8], path: String) throws(VerifyError) {
        let page: Page
        do {
            page = try JSONDecoder().decode(Page.self, from: Data(bytes))
        } catch {
            throw VerifyError("\(path) is no baseline of axiom-verify: \(JSONProblem.words(error)). \(Self.remedy)")
        }
        guard page.schema == Self.schema else {
            throw VerifyError(
                "\(path) is no baseline of axiom-verify: its schema is \"\(page.schema)\". \(Self.remedy)"
            )
        }
        guard page.schemaVersion == 1 else {
            throw VerifyError(
                "\(path) has version \(page.schemaVersion), which a newer axiom-verify wrote: use that one."
            )
        }
        var keys = Set<Key>()
        for entry in page.entries {
            guard (entry.count ?? 1) > 0 else {
                throw VerifyError(
                    "\(path): the count of \(entry.rule) for \(entry.identity) is not positive. \(Self.remedy)"
                )
            }
            guard keys.insert(Key(rule: entry.rule, identity: entry.identity)).inserted else {
                throw VerifyError("\(path) has \(entry.rule) for \(entry.identity) twice: remove one of the lines.")
            }
        }
        self.init(entries: page.entries)
    }

    private static let remedy = "Correct it, or remove it and run `axiom-verify freeze`."

    /// One entry a line, sorted.
    package var text: String {
        let lines = entries.map { entry in
            let value: OrderedJSON = .object([
                "rule": .string(entry.rule), "identity": .string(entry.identity),
                "count": (entry.count ?? 1) > 1 ? .integer(entry.count ?? 1) : nil, "reason": .string(entry.reason),
            ])
            return "    " + value.line
        }
        let head = "{\n  \"schema\": \"\(Self.schema)\",\n  \"schemaVersion\": 1,\n  \"entries\": ["
        return head + (lines.isEmpty ? "" : "\n" + lines.joined(separator: ",\n") + "\n  ") + "]\n}\n"
    }

    /// Accepts findings, and names the entries that no finding needs.
    ///
    /// Findings of rules whose findings no baseline may hold are not accepted, and their entries are stale. Entries of rules
    /// that exist and did not run are left alone.
    ///
    /// - Parameters:
    ///   - known: The names of all rules that exist.
    ///   - isWhole: Whether all files of the project were judged. A part does not show which entries are needed.
    package func judge(_ verdict: ProjectVerdict, known: Set<String>, isWhole: Bool = true) -> ProjectVerdict {
        var result = verdict
        let mayHold = Dictionary(verdict.rules.map { ($0.id.rawValue, $0.mayBeBaselined) }) { first, _ in first }
        var rest: [Key: (count: Int, reason: String)] = [:]
        for entry in entries where mayHold[entry.rule] != nil || !known.contains(entry.rule) {
            rest[Key(rule: entry.rule, identity: entry.identity)] = (entry.count ?? 1, entry.reason)
        }
        result.findings = verdict.findings.filter { finding in
            let key = Key(rule: finding.rule.rawValue, identity: finding.identity)
            guard mayHold[key.rule] == true, let entry = rest[key], entry.count > 0 else { return true }
            rest[key] = (entry.count - 1, entry.reason)
            result.accepted.append(.init(finding, by: .baseline, because: entry.reason))
            return false
        }
        // The findings of files that do not parse are unknown.
        guard isWhole, verdict.unreadableFiles.isEmpty else { return result }
        let stale = rest.filter { $0.value.count > 0 }.keys.sorted { ($0.rule, $0.identity) < ($1.rule, $1.identity) }
        result.staleEntries += stale.map { .init(rule: RuleID(rawValue: $0.rule), identity: $0.identity) }
        return result
    }

    /// The baseline without what findings do not need any more. It only shrinks.
    ///
    /// - Parameter verdict: Of a run without a baseline.
    package func shrunk(to verdict: ProjectVerdict, known: Set<String>) -> Baseline {
        let needed = Self.counts(verdict)
        let ran = Set(verdict.rules.map(\.id.rawValue))
        return Baseline(
            entries: entries.compactMap { entry in
                guard ran.contains(entry.rule) || !known.contains(entry.rule) else { return entry }
                let count = min(needed[Key(rule: entry.rule, identity: entry.identity)] ?? 0, entry.count ?? 1)
                guard count > 0 else { return nil }
                var entry = entry
                entry.count = count > 1 ? count : nil
                return entry
            }
        )
    }

    /// The baseline with the findings of rules that may grow.
    ///
    /// - Parameters:
    ///   - verdict: Of a run without a baseline.
    ///   - rules: The rules whose findings are added; nil for all of them.
    package func grown(by verdict: ProjectVerdict, rules: Set<String>?, reason: String) -> Baseline {
        var result = Dictionary(uniqueKeysWithValues: entries.map { (Key(rule: $0.rule, identity: $0.identity), $0) })
        for (key, count) in Self.counts(verdict) where rules?.contains(key.rule) ?? true {
            let old = result[key]
            result[key] = Entry(
                rule: key.rule,
                identity: key.identity,
                count: count > 1 ? count : nil,
                reason: old?.reason ?? reason
            )
        }
        return Baseline(entries: Array(result.values))
    }

    /// The findings that a baseline may hold.
    private static func counts(_ verdict: ProjectVerdict) -> [Key: Int] {
        let held = Set(verdict.rules.filter(\.mayBeBaselined).map(\.id))
        var counts: [Key: Int] = [:]
        for finding in verdict.findings where held.contains(finding.rule) {
            counts[Key(rule: finding.rule.rawValue, identity: finding.identity), default: 0] += 1
        }
        return counts
    }
}

/// Why JSON could not be read, in one sentence.
enum JSONProblem {
    static func words(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return ToolSupport.clause(error) }
        switch error {
        case .keyNotFound(let key, let context): return "\(path(context))\"\(key.stringValue)\" is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return "\(path(context))\(ToolSupport.clause(context.debugDescription))"
        @unknown default: return "\(error)"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        let names = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }
        return names.isEmpty ? "" : names.joined(separator: ".") + ": "
    }
}
