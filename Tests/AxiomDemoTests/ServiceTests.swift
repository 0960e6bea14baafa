// SPDX-License-Identifier: Apache-2.0

import Logging
import ServiceLifecycle
import Testing

@testable import axiom_demo

@Suite("The services of the demo", .timeLimit(.minutes(1)))
struct ServiceTests {
    private struct Failure: Error {}

    /// Ends with an error, as a service that cannot start.
    private struct Fails: Service {
        let signal: StartSignal

        func run() async throws {
            defer { signal.end() }
            throw Failure()
        }
    }

    /// Waits for the start of the service that fails, and another service for it.
    private struct Waits: Service {
        let signal: StartSignal
        let own: StartSignal

        func run() async throws { #expect(await !signal.wait(orEnd: own)) }
    }

    /// Ends some time after the group has told it to.
    private struct EndsLate: Service {
        let signal: StartSignal

        func run() async throws {
            #expect(await !signal.wait())
            for _ in 0..<1_000 { await Task.yield() }
        }
    }

    @Test("The error of a service that does not start is that of the group, whatever waits for it")
    func firstError() async {
        let (first, second) = (StartSignal(), StartSignal())
        let services: [any Service] = [
            Fails(signal: first), Waits(signal: first, own: second), EndsLate(signal: second),
        ]
        let configuration = ServiceGroupConfiguration(
            services: services.map {
                .init(
                    service: $0,
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup
                )
            },
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
        )
        await #expect(throws: Failure.self) { try await ServiceGroup(configuration: configuration).run() }
    }
}
