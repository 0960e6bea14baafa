// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomDashboard
internal import AxiomExporter
internal import AxiomInstrumentation
internal import Foundation
internal import ServiceLifecycle
internal import ShopLoad
internal import UnixSignals

/// Tells other services that a service has started. A service group starts all its services at once.
struct StartSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Marks the service as started.
    func send() {
        continuation.yield()
    }

    /// Marks the service as ended: if it has not started, it never will.
    func end() {
        continuation.finish()
    }

    /// Waits for ``send()``. If the service never starts, also waits for the shutdown of the waiting one. For one caller.
    ///
    /// A group shuts its services down one by one. A service that returned at ``end()`` would end out of its turn, and the
    /// group would throw that instead of the error of the service that did not start.
    ///
    /// - Parameter own: The start of the waiting service, which ends too if the service never starts.
    /// - Returns: Whether the service has started; false if the task is cancelled.
    func wait(orEnd own: StartSignal? = nil) async -> Bool {
        if await stream.first(where: { true }) != nil { return true }
        own?.end()
        // Throws if the task is cancelled: also a reason to stop.
        try? await gracefulShutdown()
        return false
    }
}

/// Serves the metrics and the dashboard, and prints their addresses.
///
/// An `Exporter` is a service by itself. This one also tells when it has started, because its port may be any free one.
struct ExporterService: Service {
    let exporter: Exporter
    /// The address at which it listens.
    let host: String
    let hasDashboard: Bool
    /// The token of the dashboard; nil without one.
    let token: String?
    let started: StartSignal

    #if DEBUG
    private static let build = "debug; its times are not those of a release: Scripts/demo --release"
    #else
    private static let build = "release"
    #endif

    func run() async throws {
        defer { started.end() }
        try exporter.start()
        let scheme = exporter.isEncrypted ? "https" : "http"
        let address = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(exporter.port ?? 0)"
        Console.print("build:     \(Self.build)")
        if hasDashboard { Console.print("dashboard: \(address)/\(token.map { "?token=\($0)" } ?? "")") }
        Console.print("metrics:   \(address)/metrics")
        started.send()
        // Throws if the task is cancelled: also a reason to stop.
        try? await gracefulShutdown()
        await exporter.stop()
    }
}

/// Runs the shop's server and its application.
struct ApplicationService: Service {
    let shop: DemoRun
    let exporterStarted: StartSignal
    let started: StartSignal

    func run() async throws {
        defer { started.end() }
        do {
            if await exporterStarted.wait(orEnd: started) { try await serve() }
        } catch {
            await shutDownAfterError()
            throw error
        }
        try await shop.shutdown()
    }

    private func serve() async throws {
        try await shop.start()
        if let port = await shop.serverPort {
            Console.print("upstream:  http://127.0.0.1:\(port)/ledger and /screens")
        }
        for notice in await shop.notices { Console.printError(notice) }
        if let screen = await shop.visitedScreen { Console.print(screen) }
        started.send()
        try? await gracefulShutdown()
    }

    /// The first error is the one to throw.
    private func shutDownAfterError() async {
        do {
            try await shop.shutdown()
        } catch {
            Console.printError("the shutdown failed as well: \(error)")
        }
    }
}

/// Runs the load, reports its results, and keeps the other services running for the linger time.
struct LoadService: Service {
    let shop: DemoRun
    let command: DemoCommand
    let telemetry: Telemetry
    let exporter: Exporter
    let applicationStarted: StartSignal

    func run() async throws {
        guard await applicationStarted.wait() else { return }
        if command.bound == .none { Console.print("Runs until Control-C; axiom-demo --help names the options.") }
        try await cancelWhenGracefulShutdown { [shop, bound = command.bound] in
            try await shop.load(bound, onOverdue: Self.abort)
        }
        try await report()
        // Throws if it is cut short by the shutdown.
        try? await cancelWhenGracefulShutdown { [linger = command.linger.duration] in
            try await TimeSource.live.sleep(for: linger)
        }
        // The shutdown ends the clients: their state is measured before.
        _ = telemetry.budgets.report
    }

    @MainActor
    private func report() throws {
        if let path = command.ledger { try shop.writeLedger(to: path) }
        if let path = command.export {
            try AtomicFile.write(exporter.dashboard.exportedPage(), to: path)
        }
        Console.print(Self.summary(of: shop.ledger.report))
        let profile = ProfileSummary(telemetry: telemetry, arguments: command.profiles)
        for line in try profile.lines() { Console.print(line) }
    }

    private static func summary(of report: LedgerReport) -> String {
        let actions = report.contexts.values.reduce(0) { $0 + $1.total }
        return "\(actions) actions; \(report.upstream.requests) requests, \(report.upstream.faults) faults: "
            + "\(report.errors) shown, \(report.recovered) recovered, \(report.cancelled) cancelled; "
            + "\(report.rejections.total) rejections"
    }

    /// A shutdown would wait for the step that is stuck, so the process exits here.
    private static let abort: @Sendable (Watchdog.Overdue) -> Void = { overdue in
        Console.printError("\(overdue); giving up")
        exit(EXIT_FAILURE)
    }
}

/// Reads the configuration and the certificates again on SIGHUP. Without this service the signal would end the process.
struct ReloadService: Service {
    let shop: DemoRun
    let exporter: Exporter

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            Console.print(await shop.reload())
            if exporter.isEncrypted { Console.print("SIGHUP: \(reloadCertificates())") }
        }
    }

    /// The exporter prints why files cannot be used.
    private func reloadCertificates() -> String {
        do {
            try exporter.reloadCertificates()
            return "the certificates were read again"
        } catch {
            return "the certificates cannot be used; the last good ones stay"
        }
    }
}

/// Writes lines at once: a reader of a pipe follows the run.
enum Console {
    static func print(_ line: String) {
        Swift.print(line)
        fflush(nil)
    }

    /// Writes to standard error under the command's name, without the C stream: a stuck thread may hold its lock.
    static func printError(_ message: String) {
        let line = "axiom-demo: \(message)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }
}
