// SPDX-License-Identifier: Apache-2.0

/// Where an imported module comes from.
package enum ImportClass: String, Sendable, Hashable, Codable, CaseIterable {
    /// A module of Axiom, in a package that uses it.
    case framework
    /// A module of the package itself.
    case project
    /// A module of a package that this package uses, directly or indirectly.
    case package
    /// A module of a toolchain or of the SDK of a platform.
    case system
    /// None of these.
    case unknown
}

/// The class of an import, and how it was found.
package struct ClassifiedImport: Sendable, Hashable {
    package var statement: ImportStatement
    package var importClass: ImportClass
    /// Such as `target`, `swift-log`, `toolchain` or `configuration`; empty for an unknown module.
    package var origin: String
}
