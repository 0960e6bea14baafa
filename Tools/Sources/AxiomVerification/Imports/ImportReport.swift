// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// What `axiom-verify imports` prints.
package struct ImportReport: Sendable {
    /// One module in one class.
    private struct Module: Encodable {
        var module: String
        var `class`: ImportClass
        var origin: String
        var imports: Int
    }

    private struct Place: Encodable {
        var path: String
        var line: Int
        var column: Int
        var module: String
        var submodules: [String]
        var `class`: ImportClass
        var kind: String?
        var access: String?
        var attributes: [String]
        var conditions: [String]
    }

    private struct Document: Encodable {
        var schema = "axiom-verify/imports"
        var schemaVersion = 1
        var files: Int
        var packages: [String]
        var counts: [String: Int]
        var modules: [Module]
        var imports: [Place]
        var problems: [String]
    }

    private let result: ImportScan.Result
    private let modules: [Module]

    package init(_ result: ImportScan.Result) {
        self.result = result
        struct Key: Hashable { var name: String, importClass: ImportClass, origin: String }
        let counts = result.imports.reduce(into: [:]) { counts, item in
            counts[Key(name: item.statement.module, importClass: item.importClass, origin: item.origin), default: 0] +=
                1
        }
        modules = counts.map { Module(module: $0.name, class: $0.importClass, origin: $0.origin, imports: $1) }
            .sorted { ($0.module, $0.class.rawValue, $0.origin) < ($1.module, $1.class.rawValue, $1.origin) }
    }

    /// The number of imports of a class.
    package func count(_ importClass: ImportClass) -> Int {
        result.imports.count { $0.importClass == importClass }
    }

    package var unknown: [ClassifiedImport] { result.imports.filter { $0.importClass == .unknown } }

    /// Zero, 3 if files do not parse, or 1 if imports are unknown and `isStrict` is set.
    package func exitCode(isStrict: Bool) -> Int32 {
        guard result.syntaxErrors.isEmpty else { return 3 }
        return isStrict && !unknown.isEmpty ? 1 : 0
    }

    /// The places of the first errors of files that do not parse.
    package var syntaxErrors: [SourceSpan] { result.syntaxErrors }

    /// Each class with its modules and their counts, each unknown import with its place, and a sum.
    package var text: String {
        var lines: [String] = []
        for importClass in ImportClass.allCases {
            let here = modules.filter { $0.class == importClass }
            guard !here.isEmpty else { continue }
            lines.append("\(importClass.rawValue): \(count(importClass)) imports of \(here.count) modules")
            lines += here.map { "  \($0.module) \($0.imports)" + ($0.origin.isEmpty ? "" : " (\($0.origin))") }
        }
        for item in unknown {
            let place = item.statement.span
            lines.append(
                "\(place.path):\(place.start.line):\(place.start.column): unknown module \(item.statement.module)"
            )
        }
        lines += result.problems.map { "warning: \($0)" }
        lines.append(sum)
        return lines.joined(separator: "\n") + "\n"
    }

    private var sum: String {
        let (all, known) = (result.imports.count, result.imports.count - unknown.count)
        let share = all == 0 ? 100 : (Double(known) / Double(all) * 1_000).rounded(.down) / 10
        return "\(known) of \(all) imports are classified (\(share) %), in \(result.fileCount) files and "
            + "\(result.packages.count) packages."
    }

    package func json() throws -> String {
        let places = result.imports.map { item in
            let (statement, start) = (item.statement, item.statement.span.start)
            return Place(
                path: statement.span.path,
                line: start.line,
                column: start.column,
                module: statement.module,
                submodules: statement.submodules,
                class: item.importClass,
                kind: statement.kind,
                access: statement.access,
                attributes: statement.attributes,
                conditions: statement.conditions
            )
        }
        let counts = Dictionary(uniqueKeysWithValues: ImportClass.allCases.map { ($0.rawValue, count($0)) })
        let document = Document(
            files: result.fileCount,
            packages: result.packages,
            counts: counts,
            modules: modules,
            imports: places,
            problems: result.problems
        )
        return try GraphJSON.encode(document)
    }
}
