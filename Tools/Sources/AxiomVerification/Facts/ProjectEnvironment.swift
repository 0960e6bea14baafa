// SPDX-License-Identifier: Apache-2.0

/// What rules know of a project besides its source.
package struct ProjectEnvironment: Sendable, Hashable {
    /// Modules that may import each other and the modules of some other layers.
    package struct Layer: Sendable, Hashable, Codable {
        package var name: String
        package var modules: [String]
        /// The names of the layers below.
        package var mayImport: [String]

        package init(name: String, modules: [String], mayImport: [String]) {
            (self.name, self.modules, self.mayImport) = (name, modules, mayImport)
        }
    }

    /// Whether the files are all files of the project. Rules that miss something stay silent without it.
    package var isWhole = true
    package var layers: [Layer] = []
    /// The imported modules that the scan of imports could not classify.
    package var unknownModules: Set<String> = []

    package init() {}
}
