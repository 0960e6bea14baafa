// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import AxiomMetrics
import AxiomMetricsExporter
import AxiomSwiftMetrics
import Foundation
import Metrics

// The counter's user of Documentation/footprint.md: libraries record through swift-metrics, and Prometheus scrapes.
let registry = Registry()
MetricsSystem.bootstrap(AxiomMetricsFactory(registry: registry))
let exporter = try MetricsExporter(registry: registry, configuration: HTTPServerConfiguration(port: 0))
try exporter.start()
Counter(label: "shop_visits_total").increment()
print("http://127.0.0.1:\(exporter.port ?? 0)/metrics")
fflush(nil)
// Until the standard input ends.
while readLine() != nil {}
await exporter.stop()
