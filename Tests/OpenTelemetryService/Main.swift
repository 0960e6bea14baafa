// SPDX-License-Identifier: Apache-2.0

import AxiomInstrumentation
import AxiomOpenTelemetry
import Foundation
import Logging
import Metrics
import ServiceLifecycle
import UnixSignals

/// Writes a line at once: a pipe would delay what `print` writes.
func write(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// Works in a span once, and again when the group ends.
struct Worker: Service {
    let telemetry: Telemetry

    func run() async throws {
        work("begin")
        write("ready")
        try await gracefulShutdown()
        work("end")
    }

    private func work(_ step: String) {
        telemetry.span("job") {
            telemetry.keepCurrentTrace()
            Logger(label: "own", metadataProvider: Logger.MetadataProvider { ["from": "provider"] }).notice("a job")
            Logger(label: "jobs").notice("a job", metadata: ["step": "\(step)", "sizes": ["1", "2"]])
            Counter(label: "jobs", dimensions: [("step", step)]).increment()
            Timer(label: "job.duration").recordNanoseconds(2_000_000)
        }
    }
}

/// A service that is set up by one call, for a test that is its collector.
@main
struct OpenTelemetryProgram {
    static func main() async throws {
        let exporting = try Telemetry.bootstrap(attributes: ["deployment.environment.name": "test"])
        do {
            _ = try Telemetry.bootstrap()
        } catch {
            write("second: \(error)")
        }
        let group = ServiceGroup(
            services: [exporting, Worker(telemetry: exporting.telemetry)],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "group")
        )
        try await group.run()
        write("ended")
    }
}
