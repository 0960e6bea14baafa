// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// The format of Documentation/schemas/axiom-verify-report-1.schema.json. Offsets and columns count UTF-8 bytes.
package struct JSONReporter: Reporter {
    package init() {}

    package func report(_ verdict: ProjectVerdict, to output: inout some TextOutputStream) {
        let page: OrderedJSON = .object([
            "schema": .string("axiom-verify/report"),
            "schemaVersion": .integer(1),
            "tool": .object(["name": .string(ReportWords.tool), "version": .string(ToolVersion.current)]),
            "exitCode": .integer(Int(verdict.exitCode)),
            "files": .integer(verdict.fileCount),
            "rules": .strings(verdict.rules.map(\.id.rawValue)),
            "findings": .array(verdict.findings.map { Self.finding($0) }),
            "accepted": .array(verdict.accepted.map(Self.accepted)),
            "unreadableFiles": .array(
                verdict.unreadableFiles.map { file in
                    .object(["location": Self.place(file.location), "message": .string(file.message)])
                }
            ),
            "staleEntries": .array(
                verdict.staleEntries.map { entry in
                    .object(["rule": .string(entry.rule.rawValue), "identity": .string(entry.identity)])
                }
            ),
            "metrics": .array(verdict.metrics.map(Self.metrics)),
        ])
        output.write(page.page)
    }

    private static func metrics(_ file: FileMetrics) -> OrderedJSON {
        .object([
            "path": .string(file.path),
            "components": .integer(file.componentCount),
            "componentsWithoutErrors": .integer(file.soundCount),
            "dependencyDepth": .integer(file.dependencyDepth),
        ])
    }

    private static func finding(_ finding: Finding) -> OrderedJSON {
        .object([
            "rule": .string(finding.rule.rawValue),
            "severity": .string(finding.severity.rawValue),
            "message": .string(finding.message),
            "identity": .string(finding.identity),
            "location": place(finding.location),
            "notes": .array(
                finding.notes.map { note in
                    .object(["message": .string(note.message), "location": place(note.location)])
                }
            ),
            "fix": finding.fix.map(fix),
        ])
    }

    private static func fix(_ fix: Fix) -> OrderedJSON {
        .object([
            "title": .string(fix.title),
            "safety": .string(fix.safety.rawValue),
            "edits": .array(
                fix.edits.map { edit in
                    .object([
                        "start": .integer(edit.range.lowerBound), "end": .integer(edit.range.upperBound),
                        "replacement": .string(edit.replacement),
                    ])
                }
            ),
        ])
    }

    private static func accepted(_ accepted: ProjectVerdict.Accepted) -> OrderedJSON {
        .object([
            "by": .string(accepted.source.rawValue), "reason": .string(accepted.reason),
            "finding": finding(accepted.finding),
        ])
    }

    private static func place(_ span: SourceSpan) -> OrderedJSON {
        .object([
            "path": .string(span.path),
            "line": .integer(span.start.line), "column": .integer(span.start.column),
            "endLine": .integer(span.end.line), "endColumn": .integer(span.end.column),
            "start": .integer(span.offsets.lowerBound), "end": .integer(span.offsets.upperBound),
        ])
    }
}
