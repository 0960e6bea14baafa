// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

/// The protocols and classes at the top level of a project, and the files in which their plain names mean them: a type that
/// inherits from one of them does not inherit from what the framework calls the same.
struct DeclaredBases: Sendable {
    /// The names of one module or of one file, by who sees them.
    private struct Names {
        /// What the importing modules see.
        var exported: Set<String> = []
        /// What the module sees, and who imports it as `@testable`.
        var shared: Set<String> = []
    }

    private var byPath: [String: Set<String>] = [:]

    init(_ files: [ParsedFile]) {
        let folders = ModuleFolders(files.map(\.path))
        var modules: [String: Names] = [:]
        for file in files {
            let folder = folders.folder(of: file.path)
            for type in file.types where type.isBaseAtTopLevel {
                if type.isPrivate {
                    byPath[file.path, default: []].insert(type.name)
                } else {
                    modules[folder, default: Names()].shared.insert(type.name)
                    if !type.access.isEmpty { modules[folder, default: Names()].exported.insert(type.name) }
                }
            }
        }
        let named = Dictionary(grouping: modules) { ModuleFolders.name(of: $0.key) }
        for file in files {
            var names = modules[folders.folder(of: file.path)]?.shared ?? []
            for (module, node) in file.imports {
                for (_, found) in named[module] ?? [] {
                    names.formUnion(node.isTestable ? found.shared : found.exported)
                }
            }
            byPath[file.path, default: []].formUnion(names)
        }
    }

    /// The names that are those of the project in a file.
    func names(in path: String) -> Set<String> { byPath[path] ?? [] }
}

extension TypeNode {
    /// Whether only its file sees a declaration at the top level.
    fileprivate var isPrivate: Bool { modifiers.contains { ["private", "fileprivate"].contains($0.name.text) } }

    /// What it inherits, without what the project declares itself. A name after that of a module of Axiom is Axiom's.
    ///
    /// - Parameter declared: The names that are those of the project in the file.
    func inherited(besides declared: Set<String>) -> [String] {
        inherited.filter { $0.node.type.isOfFramework || !declared.contains($0.name) }.map(\.name)
    }
}

extension ImportDeclSyntax {
    fileprivate var isTestable: Bool {
        attributes.contains { $0.as(AttributeSyntax.self)?.attributeName.lastName == "testable" }
    }
}

extension TypeSyntax {
    /// Whether it is a name after that of a module of Axiom, as `AxiomR3.Context`.
    fileprivate var isOfFramework: Bool {
        if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.isOfFramework }
        return self.as(MemberTypeSyntax.self)?.isOfFramework ?? false
    }
}

extension MemberTypeSyntax {
    /// Whether the name before the point is that of a module of Axiom.
    var isOfFramework: Bool { baseType.as(IdentifierTypeSyntax.self)?.name.text.hasPrefix("Axiom") ?? false }
}
