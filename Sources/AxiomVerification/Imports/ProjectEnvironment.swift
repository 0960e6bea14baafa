// SPDX-License-Identifier: Apache-2.0

#if Tools
/// What rules know of a project besides its source.
package struct ProjectEnvironment: Sendable, Hashable {
    /// Whether the files are all files of the project. Rules that miss something stay silent without it.
    package var isWhole = true
    package var layers: [Configuration.Layer] = []
    /// The imported modules that an ``ImportScan`` could not classify.
    package var unknownModules: Set<String> = []

    package init() {}
}
#endif
