// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax
internal import Foundation

/// The modules that the files of a package may import, as far as rules need them.
///
/// Reads the manifests of the package and of those in `.build/checkouts`, and runs nothing: an ``ImportScan`` is exact where a
/// manifest computes names.
struct KnownModules {
    private let classifier: ImportClassifier
    private let package: PackageModules

    /// - Parameter root: The folder of the package.
    init(root: URL, classifier: ImportClassifier) {
        self.classifier = classifier
        package = PackageModules(
            DescribedPackage(
                name: root.lastPathComponent,
                path: root.path,
                targets: ManifestModules.modules(in: root).map { .init(name: $0, c99name: $0, type: "", path: "") },
                products: [],
                dependencies: []
            )
        )
    }

    /// The unknown ones among imported modules.
    func unknown(among modules: Set<String>) -> Set<String> {
        modules.filter { classifier.classify($0, in: package).importClass == .unknown }
    }

    /// Adds to a hash what decides which modules are unknown.
    func update(_ hash: inout ContentHash) {
        classifier.update(&hash)
        for names in [package.project, package.products, package.neighbours] { hash.update(names: names) }
        for dependency in package.dependencies {
            hash.update(dependency.name)
            hash.update(names: dependency.modules)
        }
    }
}

extension ContentHash {
    /// Adds names without their order, and their number.
    mutating func update(names: Set<String>) {
        update("\(names.count) names")
        for name in names.sorted() { update(name) }
    }
}
