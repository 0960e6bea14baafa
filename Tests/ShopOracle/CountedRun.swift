// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomConfiguration
internal import AxiomHTTP
internal import AxiomNavigation
internal import AxiomStorage
internal import Foundation
internal import Logging

/// A run of the shop whose calls, actions, components, screens, requests and orders are counted in a ledger.
///
/// ```swift
/// let run = try CountedRun(options, instrumentation: telemetry)
/// try await run.start()
/// try await run.load(.duration(.seconds(20)))
/// try run.writeLedger(to: "ledger.json")
/// try await run.shutdown()
/// ```
@MainActor
final class CountedRun: DemoRun {
    let ledger = Ledger.ofShop()
    /// Where the ledger is written when the load has ended; nil for nowhere.
    var ledgerFile: String?
    /// Whether the budgets that the shop does not measure are measured after it.
    var exercisesBudgets = false

    private let instrumentation: any Instrumentation

    /// Creates a run that has not started.
    ///
    /// - Throws: As `DemoRun`.
    override init(
        _ options: DemoCommand,
        instrumentation: any Instrumentation = Instrumentations(),
        logger: Logger = Logger(label: "shop") { _ in SwiftLogNoOpLogHandler() },
        clock: TimeSource = .live
    ) throws {
        self.instrumentation = instrumentation
        try super.init(options, instrumentation: instrumentation, logger: logger, clock: clock)
    }

    /// The shop's server with `GET /ledger`. It serves faults to requests with numbers only: the fate of another one would stay
    /// unknown.
    override func makeServer() throws -> ShopServer {
        let (faults, ledger) = (faults, ledger)
        let page = HTTPRoute.get("/ledger") { _ in
            HTTPResponse(headers: ["Content-Type": "application/json"], body: try await ledger.report.json())
        }
        return try ShopServer(ShopBooks(folder: folder), faults, clock: clock, pages: [page]) { request, answer in
            var plan = faults.next()
            ledger.received(whileStormy: plan.isStormy)
            let number = request.headers["X-Request-Number"].flatMap { UInt64($0) }
            if plan.fault != nil, number.map(ledger.faults.serve) != true { plan.fault = nil }
            return try await faults.carryOut(plan) { try await ledger.orders.watch(request, answer) }
        }
    }

    override func compose(_ port: Int) throws {
        try CountedShop(shop: shop(port), ledger: ledger).register(with: orchestrator)
    }

    override func bind(_ configuration: AppConfiguration) {
        configuration.bind(CountedNetwork.self)
    }

    override func window(on flow: NavigationFlow<ShopRoute>) throws -> ShopWindow {
        try CountedWindow(flow, orchestrator, ledger)
    }

    /// Also reads the orders of earlier runs, for the ledger.
    override func start() async throws {
        for (key, order) in try await server.get().books.orders() {
            ledger.orders.applied(order.id.uuidString, key: key)
        }
        try await super.start()
    }

    /// When this returns, the orders are applied, and the fates in the ledger do not change any more.
    override func load(_ bound: Load.Bound) async throws {
        let result: Result<Void, any Error>
        do {
            result = .success(try await super.load(bound))
        } catch {
            result = .failure(error)
        }
        ledger.faults.close()
        // A task of its own: the load may be cancelled.
        await Task { await settle() }.value
        if let ledgerFile { try writeLedger(to: ledgerFile) }
        try result.get()
    }

    /// Waits until the orders are applied and each fault has its fate, for at most 15 s. The server serves no faults any more.
    private func settle() async {
        for _ in 0..<1_500 where ledger.isWaiting {
            try? await clock.sleep(for: .milliseconds(10))
        }
    }

    /// Writes the ledger as JSON. A reader sees the old file or the new one.
    ///
    /// - Throws: `FileError`.
    func writeLedger(to path: String) throws {
        try AtomicFile.write(ledger.report.json(), to: path)
    }

    override var summary: String {
        let report = ledger.report
        let actions = report.contexts.values.reduce(0) { $0 + $1.total }
        return "\(actions) actions; \(report.upstream.requests) requests, \(report.upstream.faults) faults: "
            + "\(report.errors) shown, \(report.recovered) recovered, \(report.cancelled) cancelled; "
            + "\(report.rejections.total) rejections"
    }

    override func shutdown() async throws {
        try await super.shutdown()
        (visitor?.window as? CountedWindow)?.count()
        // A telemetry observes one orchestrator at a time.
        if exercisesBudgets { try await BudgetExercise.run(instrumentation) }
    }
}

extension ShopBooks {
    /// The orders that were applied, by key, those of earlier runs too.
    ///
    /// - Throws: `StorageError`.
    func orders() async throws -> [String: Order] {
        var orders: [String: Order] = [:]
        for key in try await storage.keys(prefix: Self.prefix) {
            orders[String(key.name.dropFirst(Self.prefix.count))] = try await storage.load(Order.self, key)
        }
        return orders
    }
}

extension OrderTable {
    /// Notes what becomes of an order at the server. Other requests pass, and so does an order without a key, which the server
    /// refuses: it counts as one that never arrived.
    func watch(
        _ request: HTTPRequest,
        _ answer: @Sendable () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard request.path == "/orders", let key = request.headers["Idempotency-Key"] else { return try await answer() }
        let order = try ShopJSON.decode(Order.self, from: Data(request.body)).id.uuidString
        received(order, key: key)
        let response = try await answer()
        if response.status == .created { applied(order, key: key) } else { repeated() }
        return response
    }
}
