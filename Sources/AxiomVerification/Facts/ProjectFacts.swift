// SPDX-License-Identifier: Apache-2.0

#if Tools
/// What the files of a project declare, joined across files.
package struct ProjectFacts: Sendable {
    package init() {}
}
#endif
