// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The modules that the files of one package may import, without those of the toolchain.
package struct PackageModules: Sendable {
    /// The modules of one dependency.
    package struct Dependency: Sendable {
        package var name: String
        package var modules: Set<String>

        package init(name: String, modules: Set<String>) {
            (self.name, self.modules) = (name, modules)
        }

        /// Whether it is Axiom: its folder may have any name.
        var isFramework: Bool { modules.isSuperset(of: ["Axiom", "AxiomBase"]) }
    }

    package var name: String
    package var project: Set<String>
    package var dependencies: [Dependency]
    /// The products of other packages that the targets use, as names of modules. They stand for modules while a dependency is not on this machine.
    package var products: Set<String>
    /// The modules of the other packages in the same folder. A template of a file may stand outside the package that uses it.
    package var neighbours: Set<String> = []

    package init(name: String, project: Set<String>, dependencies: [Dependency] = [], products: Set<String> = []) {
        (self.name, self.project) = (name, project)
        (self.dependencies, self.products) = (dependencies, products)
    }
}

extension PackageModules {
    /// The modules of a package, and of its dependencies as far as they are on this machine.
    ///
    /// - Parameters:
    ///   - package: The package.
    ///   - checkouts: Folders that hold packages, one folder each. `.build/checkouts` of the package, and of the packages
    ///     in the file system that it depends on, are searched first.
    package init(_ package: DescribedPackage, checkouts: [URL] = []) {
        let folder = URL(filePath: package.path)
        let local = package.dependencies.compactMap(\.path).map { URL(filePath: $0).standardizedFileURL }
        let places = ([folder] + local).map { $0.appending(path: ".build/checkouts") } + checkouts
        var seen: Set<String> = []
        let found = places.flatMap { place in
            ((try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []).sorted()
                .filter { seen.insert($0.lowercased()).inserted }
                .map { place.appending(path: $0) }
        }
        self.init(
            name: package.name,
            project: package.modules,
            dependencies: (local + found).map {
                Dependency(name: $0.lastPathComponent, modules: ManifestModules.modules(in: $0))
            },
            products: Set(package.targets.flatMap { $0.products ?? [] }.map(ManifestModules.c99Name))
                .union(ManifestModules.products(in: folder))
        )
    }
}

extension PackageModules {
    /// The modules of Axiom, for packages whose copy of Axiom is not on this machine.
    package static let frameworks: Set<String> = [
        "Axiom", "AxiomAllocationSampler", "AxiomBase", "AxiomBenchmarking", "AxiomCompatibility", "AxiomConfiguration",
        "AxiomExporter", "AxiomHTTP", "AxiomInstrumentation", "AxiomLogging", "AxiomMacros", "AxiomMetrics",
        "AxiomMetricsExporter", "AxiomNavigation", "AxiomOpenTelemetry", "AxiomProfiler", "AxiomPush",
        "AxiomResilience", "AxiomStatistics", "AxiomStorage", "AxiomSwiftMetrics", "AxiomSystem", "AxiomTLS",
        "AxiomTesting", "AxiomTracePush", "AxiomTracing", "AxiomUI", "AxiomWebConfiguration",
    ]
}
