// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import SwiftParser
internal import SwiftSyntax

/// Reads the modules of a package from the text of its manifests, without a build. A manifest that computes names has more
/// modules than are found.
package enum ManifestModules {
    /// The functions that declare targets.
    private static let targets: Set<String> = [
        "target", "executableTarget", "testTarget", "macro", "plugin", "systemLibrary", "binaryTarget",
    ]

    /// The modules of all manifests in a folder: `Package.swift` and those of other versions of the tools.
    package static func modules(in folder: URL) -> Set<String> {
        manifests(in: folder).reduce(into: []) { $0.formUnion(modules(in: $1)) }
    }

    /// The modules that the text of a manifest declares.
    package static func modules(in manifest: [UInt8]) -> Set<String> {
        names(of: targets, in: manifest)
    }

    /// The products of other packages that the manifests of a folder name, also those that a condition leaves out.
    package static func products(in folder: URL) -> Set<String> {
        manifests(in: folder).reduce(into: []) { $0.formUnion(names(of: ["product"], in: $1)) }
    }

    private static func manifests(in folder: URL) -> [[UInt8]] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return entries.sorted().filter { $0.hasPrefix("Package") && $0.hasSuffix(".swift") }.compactMap { name in
            (try? Data(contentsOf: folder.appending(path: name))).map { Array($0) }
        }
    }

    private static func names(of functions: Set<String>, in manifest: [UInt8]) -> Set<String> {
        guard !TreeDepth.isTooDeepToParse(manifest) else { return [] }
        return TreeDepth.run(manifest) {
            let collector = NameCollector(functions)
            collector.walk(manifest.withUnsafeBufferPointer { Parser.parse(source: $0) })
            return Set(collector.names.map(c99Name))
        }
    }

    /// The name of the module of a target.
    package static func c99Name(_ name: String) -> String {
        let text = String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
        return text.first?.isNumber == true ? "_" + text.dropFirst() : text
    }

    /// Collects the literal names that calls of some functions give as their first argument: `.product(name: "A", …)`, and a
    /// function of the manifest itself as in `product("A", …)`.
    private final class NameCollector: SyntaxVisitor {
        private let functions: Set<String>
        private(set) var names: [String] = []

        init(_ functions: Set<String>) {
            self.functions = functions
            super.init(viewMode: .sourceAccurate)
        }

        override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
            let member = node.calledExpression.as(MemberAccessExprSyntax.self)?.declName
            let own = node.calledExpression.as(DeclReferenceExprSyntax.self)
            guard let function = (member ?? own)?.baseName.text, functions.contains(function),
                let argument = node.arguments.first,
                argument.label?.text == "name" || own != nil && argument.label == nil,
                let literal = argument.expression.as(StringLiteralExprSyntax.self), literal.segments.count == 1,
                let name = literal.segments.first?.as(StringSegmentSyntax.self)?.content.text
            else { return .visitChildren }
            names.append(name)
            return .visitChildren
        }
    }
}
