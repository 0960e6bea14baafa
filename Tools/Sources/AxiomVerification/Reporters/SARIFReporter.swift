// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// SARIF 2.1.0 (OASIS), which code scanning reads.
///
/// Columns are UTF-16 units, as the format demands; a byte order mark is not part of a line. Columns are left out where the
/// text of a file is not known.
package struct SARIFReporter: Reporter {
    private static let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    private static let root = "SRCROOT"

    package init() {}

    package func report(_ verdict: ProjectVerdict, to output: inout some TextOutputStream) {
        let page: OrderedJSON = .object([
            "$schema": .string(Self.schema), "version": .string("2.1.0"), "runs": .array([Self.run(verdict)]),
        ])
        output.write(page.page)
    }

    private static func run(_ verdict: ProjectVerdict) -> OrderedJSON {
        let results = Results(verdict)
        return .object([
            "tool": .object(["driver": driver(verdict, results)]),
            "invocations": .array([invocation(verdict)]),
            "columnKind": .string("utf16CodeUnits"),
            "newlineSequences": .strings(["\r\n", "\n", "\r"]),
            "originalUriBaseIds": .object([
                root: .object(["description": message("The root of the repository, or of the project without one.")])
            ]),
            "results": .array(results.all),
        ])
    }

    private static func driver(_ verdict: ProjectVerdict, _ results: Results) -> OrderedJSON {
        .object([
            "name": .string(ReportWords.tool),
            "semanticVersion": .string(ToolVersion.current),
            "rules": .array(
                results.rules.map { id in
                    let rule = verdict.rules.first { $0.id == id }
                    return .object([
                        "id": .string(id.rawValue),
                        "shortDescription": rule.map { message($0.summary) },
                        "fullDescription": rule.map { message($0.rationale) },
                        "help": rule.map { message($0.rationale) },
                        "defaultConfiguration": rule.map { .object(["level": .string($0.severity.sarifLevel)]) },
                    ])
                }
            ),
        ])
    }

    private static func invocation(_ verdict: ProjectVerdict) -> OrderedJSON {
        let unreadable: [OrderedJSON] = verdict.unreadableFiles.map { file in
            .object([
                "descriptor": .object(["id": .string("unreadable-file")]), "level": .string("error"),
                "message": message(file.message),
                "locations": .array([.object(["physicalLocation": place(file.location, verdict.files)])]),
            ])
        }
        let stale: [OrderedJSON] = verdict.staleEntries.map { entry in
            .object([
                "descriptor": .object(["id": .string("stale-baseline")]), "level": .string("error"),
                "message": message(ReportWords.stale(entry, verdict.baselinePath)),
            ])
        }
        return .object([
            "executionSuccessful": .boolean(verdict.unreadableFiles.isEmpty),
            "exitCode": .integer(Int(verdict.exitCode)),
            "toolExecutionNotifications": unreadable.isEmpty ? nil : .array(unreadable),
            "toolConfigurationNotifications": stale.isEmpty ? nil : .array(stale),
        ])
    }

    static func message(_ text: String) -> OrderedJSON {
        .object(["text": .string(text)])
    }

    static func file(_ path: String) -> OrderedJSON {
        .object(["uri": .string(URIText.relative(path)), "uriBaseId": path.hasPrefix("/") ? nil : .string(root)])
    }

    static func place(_ span: SourceSpan, _ files: [String: SourceText]) -> OrderedJSON {
        .object(["artifactLocation": file(span.path), "region": region(span, files[span.path])])
    }

    static func region(_ span: SourceSpan, _ text: SourceText?) -> OrderedJSON {
        let (start, end) = (text?.utf16Column(of: span.start), text?.utf16Column(of: span.end))
        return .object([
            "startLine": .integer(span.start.line),
            "startColumn": start.map { .integer($0) },
            "endLine": .integer(max(span.start.line, span.end.line)),
            "endColumn": end.map { .integer($0) },
            "byteOffset": .integer(span.offsets.lowerBound),
            "byteLength": .integer(span.offsets.count),
        ])
    }
}

/// The results of a run, and the rules in the order of their indices.
private struct Results {
    let rules: [RuleID]
    private(set) var all: [OrderedJSON] = []
    private let files: [String: SourceText]
    /// How many findings had the same rule and identity.
    private var counts: [String: Int] = [:]

    init(_ verdict: ProjectVerdict) {
        let used = verdict.findings.map(\.rule) + verdict.accepted.map(\.finding.rule) + verdict.rules.map(\.id)
        rules = Set(used).sorted { $0.rawValue < $1.rawValue }
        files = verdict.files
        for finding in verdict.findings { add(finding, accepted: nil) }
        for accepted in verdict.accepted { add(accepted.finding, accepted: accepted) }
    }

    private mutating func add(_ finding: Finding, accepted: ProjectVerdict.Accepted?) {
        all.append(
            .object([
                "ruleId": .string(finding.rule.rawValue),
                "ruleIndex": rules.firstIndex(of: finding.rule).map { .integer($0) },
                "level": .string(finding.severity.sarifLevel),
                "message": SARIFReporter.message(finding.message),
                "locations": .array([location(finding)]),
                "relatedLocations": finding.notes.isEmpty ? nil : .array(related(finding)),
                "partialFingerprints": .object(["axiomVerify/v1": .string(fingerprint(finding))]),
                "fixes": fix(finding).map { .array([$0]) },
                "suppressions": accepted.map { .array([suppression($0)]) },
            ])
        )
    }

    private func location(_ finding: Finding) -> OrderedJSON {
        .object([
            "physicalLocation": SARIFReporter.place(finding.location, files),
            "logicalLocations": .array([.object(["fullyQualifiedName": .string(finding.identity)])]),
        ])
    }

    private func related(_ finding: Finding) -> [OrderedJSON] {
        finding.notes.enumerated().map { index, note in
            .object([
                "id": .integer(index), "physicalLocation": SARIFReporter.place(note.location, files),
                "message": SARIFReporter.message(note.message),
            ])
        }
    }

    /// Does not change when code moves: the rule, the identity, and which of several equal ones this is.
    private mutating func fingerprint(_ finding: Finding) -> String {
        let key = "\(finding.rule.rawValue)\n\(finding.identity)"
        counts[key, default: 0] += 1
        return ContentHash(of: Array("\(key)\n\(counts[key, default: 1])".utf8)).description
    }

    private func fix(_ finding: Finding) -> OrderedJSON? {
        guard let fix = finding.fix, let text = files[finding.location.path] else { return nil }
        let replacements = fix.edits.map { edit -> OrderedJSON in
            .object([
                "deletedRegion": SARIFReporter.region(text.span(edit.range), text),
                "insertedContent": SARIFReporter.message(edit.replacement),
            ])
        }
        guard !replacements.isEmpty else { return nil }
        let change: OrderedJSON = .object([
            "artifactLocation": SARIFReporter.file(text.path), "replacements": .array(replacements),
        ])
        return .object(["description": SARIFReporter.message(fix.title), "artifactChanges": .array([change])])
    }

    private func suppression(_ accepted: ProjectVerdict.Accepted) -> OrderedJSON {
        .object([
            "kind": .string(accepted.source == .comment ? "inSource" : "external"), "status": .string("accepted"),
            "justification": .string(accepted.reason),
        ])
    }
}

extension Severity {
    fileprivate var sarifLevel: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .information: "note"
        }
    }
}

extension SourceText {
    /// The column in UTF-16 units, counted from 1, without a byte order mark.
    fileprivate func utf16Column(of position: SourceSpan.Position) -> Int {
        var prefix = Array(line(position.line).utf8.prefix(max(0, position.column - 1)))
        if position.line == 1, prefix.starts(with: [0xEF, 0xBB, 0xBF]) { prefix.removeFirst(3) }
        return String(decoding: prefix, as: UTF8.self).utf16.count + 1
    }
}

/// Paths as URI references (RFC 3986).
enum URIText {
    static func relative(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isPlain =
                byte < 0x80 && (character.isLetter || character.isNumber || "-._~/!$&'()*+,;=@".contains(character))
            let digits = String(byte, radix: 16, uppercase: true)
            text += isPlain ? String(character) : "%" + (digits.count == 1 ? "0" : "") + digits
        }
        return path.hasPrefix("/") ? "file://" + text : text
    }
}
