// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// A verdict without texts and rules, as a cache keeps it. A baseline is applied to it later.
struct KeptVerdict: Packable, Equatable {
    static var blank: KeptVerdict { KeptVerdict(ProjectVerdict()) }

    private var findings: [Finding]
    private var accepted: [ProjectVerdict.Accepted]
    private var unreadableFiles: [ProjectVerdict.UnreadableFile]
    private var metrics: [FileMetrics]
    private var fileCount: Int

    init(_ verdict: ProjectVerdict) {
        findings = verdict.findings
        accepted = verdict.accepted
        unreadableFiles = verdict.unreadableFiles
        metrics = verdict.metrics
        fileCount = verdict.fileCount
    }

    func verdict(rules: [Rule]) -> ProjectVerdict {
        var verdict = ProjectVerdict()
        verdict.findings = findings
        verdict.accepted = accepted
        verdict.unreadableFiles = unreadableFiles
        verdict.metrics = metrics
        verdict.fileCount = fileCount
        verdict.rules = rules
        return verdict
    }

    mutating func pack(_ packing: inout Packing) {
        packing(&findings)
        packing(&accepted)
        packing(&unreadableFiles)
        packing(&metrics)
        packing(&fileCount)
    }
}

// MARK: - What a verdict consists of

private let nowhere = SourceSpan(path: "", offsets: 0..<0, start: .blank, end: .blank)

extension Finding: Packable {
    static var blank: Finding { Finding(rule: "", severity: .error, at: nowhere, message: "", identity: "") }

    mutating func pack(_ packing: inout Packing) {
        packing(&rule)
        packing(&severity)
        packing(&location)
        packing(&message)
        packing(&notes)
        packing(&identity)
        packing(&fix)
    }
}

extension Finding.Note: Packable {
    static var blank: Finding.Note { .init("", at: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&location)
        packing(&message)
    }
}

extension Fix: Packable {
    static var blank: Fix { Fix("", edits: [], safety: .safe) }

    mutating func pack(_ packing: inout Packing) {
        packing(&title)
        packing(&edits)
        packing(&safety)
    }
}

extension Edit: Packable {
    static var blank: Edit { Edit(replacing: 0..<0, with: "") }

    mutating func pack(_ packing: inout Packing) {
        packing(&range)
        packing(&replacement)
    }
}

extension SourceSpan: Packable {
    static var blank: SourceSpan { nowhere }

    mutating func pack(_ packing: inout Packing) {
        packing(&path)
        packing(&offsets)
        packing(&start)
        packing(&end)
    }
}

extension SourceSpan.Position: Packable {
    static var blank: SourceSpan.Position { .init(line: 0, column: 0) }

    mutating func pack(_ packing: inout Packing) {
        packing(&line)
        packing(&column)
    }
}

extension ProjectVerdict.Accepted: Packable {
    static var blank: ProjectVerdict.Accepted { .init(.blank, by: .comment, because: "") }

    mutating func pack(_ packing: inout Packing) {
        packing(&finding)
        packing(&source)
        packing(&reason)
    }
}

extension ProjectVerdict.UnreadableFile: Packable {
    static var blank: ProjectVerdict.UnreadableFile { .init(at: nowhere, message: "") }

    mutating func pack(_ packing: inout Packing) {
        packing(&location)
        packing(&message)
    }
}

extension FileMetrics: Packable {
    static var blank: FileMetrics { .init(path: "", componentCount: 0, dependencyDepth: 0, compliance: 0) }

    mutating func pack(_ packing: inout Packing) {
        packing(&path)
        packing(&componentCount)
        packing(&dependencyDepth)
        packing(&compliance)
    }
}
