// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomSwiftMetrics
import InMemoryLogging
import Logging

/// A factory with a registry of its own, whose log can be read.
struct Backend {
    let registry: Registry
    let factory: AxiomMetricsFactory
    private let handler = InMemoryLogHandler()

    init(_ options: SwiftMetricsOptions = SwiftMetricsOptions(), clock: TimeSource = .live) {
        registry = Registry(clock: clock)
        let handler = handler
        factory = AxiomMetricsFactory(
            registry: registry,
            options: options,
            logger: Logger(label: "test", factory: { _ in handler })
        )
    }

    /// What is on the page now.
    var snapshot: Snapshot { registry.collect() }

    /// The page as text.
    var page: String { ExpositionFormat.text.page(registry.collect()) }

    /// The lines of the page that are no comments.
    var lines: [String] { page.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") } }

    /// What was logged, each with its level in front.
    var log: [String] { handler.entries.map { "\($0.level): \($0.message)" } }
}
