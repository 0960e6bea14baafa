// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// The `axiom_build_info` metric, which identifies the running build.
struct BuildInfo {
    static let name = "axiom_build_info"

    /// The version of Axiom.
    static let version = "0.1.0"

    #if Instrumented
    static let isInstrumented = true
    #else
    static let isInstrumented = false
    #endif

    #if compiler(>=6.4)
    static let swift = "6.4 or later"
    #elseif compiler(>=6.3)
    static let swift = "6.3"
    #else
    static let swift = "6.2"
    #endif

    let revision: String

    func register(in registry: Registry) throws(MetricsError) {
        try registry.info(
            Self.name,
            help: "Which build runs; instrumented is false when the package trait Instrumented was off.",
            [
                "version": Self.version,
                "swift": Self.swift,
                "revision": revision,
                "instrumented": Self.isInstrumented.labelValue,
            ]
        )
    }
}
