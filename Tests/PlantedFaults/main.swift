// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomResilience
import AxiomStatistics
import Foundation

// Runs an application with one fault and serves its dashboard, until standard input ends.
//
//     planted-faults slow-upstream
//     planted-faults slow-upstream RECORDING    writes the calls of the catalog to a file: name, start and duration
//     planted-faults trips slow-query 7         another application; the seed 7 chooses which part has the fault

/// The running application.
@MainActor
struct PlantedApplication {
    let telemetry: Telemetry
    let orchestrator: Orchestrator
    private let root: PresentationHost<RootView>

    init(_ regressions: RegressionOptions?) throws {
        telemetry = try Telemetry(
            leakThreshold: .seconds(1),
            breakers: [.client(PaymentClient.self, Self.breaker)],
            regressions: regressions,
            budgets: Self.budgets
        )
        orchestrator = Orchestrator(instrumentation: telemetry)
        root = PresentationHost(RootView.self, orchestrator) { _ in }
        register()
    }

    private func register() {
        orchestrator.register(Upstream.self) { Upstream($0) }
        orchestrator.register(Archive.self) { Archive($0) }
        orchestrator.register(Locator.self, requirement: .optional) { Locator($0) }
        orchestrator.register(CatalogClient.self) { try CatalogClient($0) }
        orchestrator.register(OrderClient.self) { try OrderClient($0) }
        orchestrator.register(NoteClient.self) { try NoteClient($0) }
        orchestrator.register(DraftClient.self) { try DraftClient($0) }
        orchestrator.register(MapClient.self) { try MapClient($0) }
        orchestrator.register(PaymentClient.self) { PaymentClient($0) }
        orchestrator.register(CounterClient.self) { CounterClient($0) }
        orchestrator.register(CatalogContext.self) { try CatalogContext($0) }
        orchestrator.register(DeskContext.self) { try DeskContext($0) }
        orchestrator.register(MapContext.self) { try MapContext($0) }
        orchestrator.register(PaymentContext.self) { try PaymentContext($0) }
        orchestrator.register(CounterContext.self) { try CounterContext($0) }
        orchestrator.register(ReportContext.self) { ReportContext($0) }
        orchestrator.register(DialogContext.self) { DialogContext($0) }
        orchestrator.register(RootContext.self) { try RootContext($0) }
    }

    /// Opens at the third failure in a row, and stays open for longer than anybody looks.
    private static let breaker = CircuitBreakerConfiguration(
        failureRateThreshold: nil,
        consecutiveFailures: 3,
        openDuration: .seconds(600),
        openDurationCap: .seconds(600)
    )

    /// Only the limit of client actions is tight. The others allow for a slow machine.
    private static let budgets: [BudgetRule] = [
        .override(.clientAction, limit: .milliseconds(100)), .override(.contextAction, limit: .seconds(20)),
        .override(.lifecycle, limit: .seconds(20)), .override(.rendering, limit: .seconds(20)),
    ]

    /// Starts the application and shows its screens.
    func start() async throws {
        try await orchestrator.start()
        try await root.mount()
    }

    /// Each screen acts at the same time, again and again. What a leak is made of is opened and kept.
    func work(until end: Instant = Instant(nanoseconds: .max), pause: Duration = .milliseconds(20)) async throws {
        var leaked: [DialogContext] = []
        while TimeSource.live.now < end {
            await withTaskGroup(of: Void.self) { group in
                for screen in root.context?.screens ?? [] { group.addTask { await Self.act(screen) } }
            }
            if planted.withLock({ $0 }) == .leak, leaked.count < 3 {
                let dialog = PresentationHost(DialogView.self, orchestrator) { _ in }
                try await dialog.mount()
                if let context = dialog.context { leaked.append(context) }
                await dialog.unmount()
            }
            try await TimeSource.live.sleep(for: pause)
        }
        withExtendedLifetime(leaked) {}
    }

    private static func act<Screen: WorkScreen>(_ screen: Screen) async {
        await screen.send(.run)
    }
}

/// Windows that are short enough for a verdict in seconds. The baseline has eight times the minimum of windows, so that
/// gross growth is judged also if the load of the machine correlates neighbouring windows. Other programs come and go
/// between the baseline and the verdict, and make every call slower or faster: less than four times the duration is no
/// finding here, and the fault makes calls ten times as slow.
let policy = {
    var policy = LivePolicy()
    (policy.windowLength, policy.minimumRequests, policy.percentiles) = (0.35, 1, [0.5])
    (policy.horizon, policy.minimumWindows, policy.lookInterval, policy.persistence) = (40, 8, 2, 4)
    (policy.falseAlarmRate, policy.minimumEffect, policy.grossEffect) = (0.2, 3, 3)
    return policy
}()

/// Gives each window enough calls for a verdict, also on a machine under load.
let shortPause = Duration.milliseconds(5)

/// The durations of the healthy application.
@MainActor
func recordedBaseline() async throws -> BaselineFile {
    let application = try PlantedApplication(.recording(policy))
    try await application.start()
    try await application.work(until: TimeSource.live.now.advanced(by: .seconds(25)), pause: shortPause)
    await application.orchestrator.shutdown()
    return try application.telemetry.recordProfile()
}

@MainActor
func run(_ fault: PlantedFault) async throws {
    let baseline = fault == .regression ? try await recordedBaseline() : nil
    let application = try PlantedApplication(baseline.map { .judging(against: $0, policy) })
    let exporter = try Exporter(telemetry: application.telemetry, configuration: HTTPServerConfiguration(port: 0))
    try exporter.start()
    try await application.start()
    // A lost service is lost after the start, while everything runs.
    planted.withLock { $0 = fault }
    if fault == .lostCapability { try? await application.orchestrator.capabilityChanged(Locator.self, .serviceLost) }
    // Not print: fflush(nil) would wait for the lock of standard input, which the thread that reads it holds.
    FileHandle.standardOutput.write(Data("http://127.0.0.1:\(exporter.port ?? 0)/\n".utf8))
    try await application.work(pause: fault == .regression ? shortPause : .milliseconds(20))
}

/// Ends the process when standard input ends.
func endWithInput() {
    Thread.detachNewThread {
        while readLine() != nil {}
        exit(0)
    }
}

let arguments = CommandLine.arguments.dropFirst()
if let fault = PlantedFault(rawValue: arguments.first ?? ""), arguments.count <= 2 {
    endWithInput()
    if arguments.count == 2 { try startRecording(to: arguments[2]) }
    try await run(fault)
} else if arguments.first == "trips", arguments.count == 3, let fault = TripFault(rawValue: arguments[2]),
    let seed = UInt(arguments[3])
{
    endWithInput()
    try await TripsApplication(fault).run(fault, seed: seed)
} else {
    let faults = PlantedFault.allCases.map(\.rawValue).joined(separator: "|")
    let tripFaults = TripFault.allCases.map(\.rawValue).joined(separator: "|")
    let usage = "usage: planted-faults \(faults) [RECORDING]\n       planted-faults trips \(tripFaults) SEED\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}
