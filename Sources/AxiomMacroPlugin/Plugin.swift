// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// What the compiler starts to expand the macros.
@main
struct AxiomMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = []
}
#else
/// Without the trait Macros there is nothing to expand.
@main
enum AxiomMacroPlugin {
    static func main() {}
}
#endif
