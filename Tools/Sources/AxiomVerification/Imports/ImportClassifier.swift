// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Says where imported modules come from.
///
/// In this order: what the configuration says; a target of the package; a module of a dependency that is on this machine; a
/// module of the toolchain; a product of a dependency that is not on this machine; a target of another package in the folder;
/// a module of the SDK of another platform; a module with the name of one of Axiom's.
package struct ImportClassifier: Sendable {
    private let toolchain: ToolchainModules
    private let configured: [String: ImportClass]

    /// - Parameters:
    ///   - toolchain: The modules of the toolchain.
    ///   - configured: Classes by the names of modules.
    package init(toolchain: ToolchainModules, configured: [String: ImportClass] = [:]) {
        self.toolchain = toolchain
        self.configured = configured
    }

    /// The class of a module that a file of `package` imports.
    package func classify(_ module: String, in package: PackageModules) -> (importClass: ImportClass, origin: String) {
        if let configured = configured[module] { return (configured, "configuration") }
        if package.project.contains(module) { return (.project, "target") }
        if let dependency = package.dependencies.first(where: { $0.modules.contains(module) }) {
            return (dependency.isFramework ? .framework : .package, dependency.name)
        }
        if toolchain.modules.contains(module) { return (.system, "toolchain") }
        if package.products.contains(module) {
            return (PackageModules.frameworks.contains(module) ? .framework : .package, "product")
        }
        if package.neighbours.contains(module) { return (.project, "another package of the folder") }
        if OtherPlatforms.modules.contains(module) { return (.system, "another platform") }
        // A project without a manifest, such as one of Xcode, does not say where its modules come from.
        if PackageModules.frameworks.contains(module) { return (.framework, "name") }
        return (.unknown, "")
    }

    package func classify(_ statement: ImportStatement, in package: PackageModules) -> ClassifiedImport {
        let (importClass, origin) = classify(statement.module, in: package)
        return ClassifiedImport(statement: statement, importClass: importClass, origin: origin)
    }
}

extension ImportClassifier {
    /// Adds to a hash what decides about modules besides their package.
    func update(_ hash: inout ContentHash) {
        hash.update(names: toolchain.modules)
        hash.update(names: Set(configured.map { "\($0.key) \($0.value.rawValue)" }))
    }
}
