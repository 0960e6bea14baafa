// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// What one file says, without its tree. A pure function of the path and the bytes, so it can be kept in a cache.
package struct FileFacts: Sendable, Hashable {
    /// Changes whenever a reader of facts would read other facts from the same bytes, or a cache keeps a value otherwise. Part
    /// of the key of a cache.
    package static let formatVersion = 7

    package var path: String
    package var module: String
    /// The offsets at which the lines begin.
    package var lineStarts: [UInt32] = [0]
    package var byteCount = 0
    package var imports: [Import] = []
    /// Types, protocols, extensions and aliases, in order of their places.
    package var declarations: [Declaration] = []
    package var functions: [Function] = []
    /// The variables outside of all types and functions.
    package var globals: [Property] = []
    package var calls: [Call] = []
    package var closures: [Closure] = []
    package var tries: [OptionalTry] = []
    package var catches: [CatchClause] = []
    package var assignments: [Assignment] = []
    package var locals: [LocalVariable] = []
    package var names: [NameUse] = []
    package var statics: [StaticUse] = []
    /// The offsets of `await` and the functions in which they stand.
    package var awaits: [NameUse] = []
    /// The paths that an operator other than `=` changes, or that are passed with `&`.
    package var changes: [NameUse] = []
    /// The paths whose identity counts: operands of `===` and `!==`, and weak or unowned variables of functions.
    package var identities: [NameUse] = []
    package var suppressions: [Suppression] = []
    /// The place of the first error of the parser.
    package var syntaxError: FactSpan?
    /// Whether the code is nested too deeply to be read; ``syntaxError`` is then the start of the file.
    package var isTooDeep = false

    package init(path: String, module: String) {
        self.path = path
        self.module = module
    }

    /// The place of a fact, for a finding.
    package func span(_ span: FactSpan) -> SourceSpan {
        SourceSpan(
            path: path,
            offsets: span.offsets,
            start: position(span.start),
            end: position(max(span.start, span.end))
        )
    }

    package func line(of offset: UInt32) -> Int { position(offset).line }

    private func position(_ offset: UInt32) -> SourceSpan.Position {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return .init(line: low + 1, column: Int(offset - lineStarts[low]) + 1)
    }

    /// Whether the file is part of the tests: it stands below `Tests`, or imports a library of tests.
    package var isTest: Bool {
        path.hasPrefix("Tests/") || path.containsBytes("/Tests/")
            || imports.contains { $0.module == "Testing" || $0.module == "XCTest" }
    }
}
