// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftCompilerPlugin
internal import SwiftSyntaxMacros

/// What the compiler starts to expand the macros.
@main
struct AxiomMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        AxiomStateMacro.self, AxiomActionMacro.self, AxiomCapabilityMacro.self, AxiomClientMacro.self,
        AxiomContextMacro.self, ValidateRoutesMacro.self, CapabilityMarker.self, ClientMarker.self,
        DownstreamMarker.self, ObservesMarker.self,
    ]
}
#else
/// Without the trait Macros there is nothing to expand.
@main
enum AxiomMacroPlugin {
    static func main() {}
}
#endif
