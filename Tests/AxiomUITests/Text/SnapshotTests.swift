// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomNavigation
import Testing

@testable import Axiom
@testable import AxiomUI

private struct OvenError: AxiomError {
    var code: ErrorCode = "SHOP_OVEN_001"
    var message = "The oven is too cold."
    var recoverySuggestion = "Wait until it is hot."
    var severity = ErrorSeverity.nonCritical
    var suggestedAction = ErrorAction.dismiss
}

private enum DoughError: Error { case tooDry }

private struct WeeklyMenu: OwnedState {}

/// Compares what presentations draw with files in the folder Golden. After an intended change, run the tests with
/// AXIOM_RECORD=1, and read the difference.
@MainActor
@Suite("Snapshots of presentations", .timeLimit(.minutes(10)))
struct SnapshotTests {
    private let app = ShopApp()

    private static let errors: [any Error] = [
        NetworkError.noConnection(to: "shop.example"),
        NetworkError.server("The price list", status: 503),
        NetworkError.timeout("The price list", after: .seconds(5)),
        AuthorizationError.notSignedIn("The order"),
        AuthorizationError.forbidden("the refund"),
        ValidationError.missing("The street"),
        NavigationError.unknownRoute("shop/sale"),
        CapabilityError.unavailable("Camera", because: "it is in use"),
        CircuitError.open("prices"),
        StateError.criticalStatesLost(WeeklyMenu.self, 3),
        ConfigurationError.refused("http.token", because: "it is too short"),
        OvenError(code: "SHOP_OVEN_002", message: "The recipe is too new.", suggestedAction: .update),
        LifecycleError.waitsForItself(
            ComponentDescriptor(kind: .presentation, name: "Menu"),
            path: "Menu waits for Menu.",
            remedy: "Mount it when unmount() has returned."
        ),
        OvenError(severity: .warning),
        OvenError(severity: .critical, suggestedAction: .contactSupport),
        DoughError.tooDry,
    ]

    /// The error with the options that a boundary offers for it.
    private static func view(_ error: any Error, _ labels: ErrorLabels = .fallback) -> ErrorPresentation {
        let repeats = (error as? any AxiomError)?.suggestedAction == .retry
        return ErrorPresentation(error, options: (repeats ? [.retry()] : []) + [.dismiss()], labels: labels)
    }

    private static func text(
        _ width: Int,
        _ style: TextStyle = .plain,
        _ labels: ErrorLabels = .fallback
    ) -> String {
        errors.map { view($0, labels).text(width: width, style: style) }.joined(separator: "\n\n")
    }

    @Test("The error views of all kinds, in a wide and in a narrow terminal (UI-04)", arguments: [72, 20])
    func kinds(width: Int) {
        #expect(Set(Self.errors.map { ErrorKind(of: $0) }) == Set(ErrorKind.allCases))
        expectSnapshot(Self.text(width), "errors-\(width).txt")
    }

    @Test("The error views with ANSI sequences (UI-04)")
    func sequences() {
        expectSnapshot(Self.text(72, .ansi), "errors-ansi.txt")
    }

    @Test("The error views with the labels of another language (UI-04)")
    func labels() {
        var labels = ErrorLabels()
        labels.titles = [.connection: "Keine Verbindung", .timeout: "Zu langsam", .failure: "Fehler"]
        labels.optionTitles = ["Try again": "Erneut versuchen", "Dismiss": "Schließen"]
        labels.unknownMessage = "Ein unerwarteter Fehler ist aufgetreten."
        expectSnapshot(Self.text(72, .plain, labels), "errors-labels.txt")
    }

    @Test("A page with an error, a recovery and notifications, after each step of the user (UI-04, UI-05)")
    func page() async throws {
        try await app.start()
        let session = try await Session(app)
        try await session.step("Opened") { _ in }
        let prices = Flaky(failures: 3, NetworkError.noConnection(to: "shop.example"))
        try await session.step("The prices cannot be loaded") { await $0.send(prices.action) }
        try await session.step("[1] fails") { try await Self.choose(1, $0) }
        let order = Flaky(failures: 1, NetworkError.server("The order", status: 500))
        try await session.step("An order is not saved") { await $0.send(order.action) }
        try await session.step("[1] of the notification") { context in
            let shown = BoundaryPresentation(context.errorBoundary)
            await context.errorBoundary.choose(1, of: try #require(shown.notifications.first))
        }
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let oven = Flaky(failures: 1, OvenError())
        session.oven.remedy = { for await _ in gate { return } }
        let baking = Task { await session.context.send(oven.action) }
        await until { session.context.errorBoundary.isRecovering }
        try await session.step("A recovery runs") { _ in }
        opened.yield()
        await baking.value
        try await session.step("It has recovered, which removes the earlier error") { _ in }
        try await session.step("The prices fail once more") { await $0.send(prices.action) }
        try await session.step("[2] dismisses the error") { try await Self.choose(2, $0) }
        expectSnapshot(session.text, "page.txt")
        await session.end()
    }

    private static func choose(_ number: Int, _ context: ShopContext) async throws {
        await context.errorBoundary.choose(number, of: try #require(ErrorPresentation(context.errorBoundary)))
    }

    @Test("The error views of a launch and of a mount that fail (UI-03, UI-07)")
    func models() async throws {
        let offline = NetworkError.noConnection(to: "shop.example")
        let lifecycle = try AppLifecycle(app.orchestrator, grace: WaitLimits.unlimited) { throw offline }
        let launch = LaunchModel(app.orchestrator, lifecycle)
        let model = PresentationModel(ShopPage.self, app.orchestrator)
        await model.appear(ShopContext.Input())
        var errors: [ErrorPresentation] = []
        if case .failed(let error) = model.phase { errors.append(error) }
        await launch.scene(is: .active)
        if case .failed(let error) = launch.state { errors.append(error) }
        try #require(errors.count == 2)
        expectSnapshot(errors.map { $0.text(width: 72) }.joined(separator: "\n\n"), "models.txt")
        await app.orchestrator.shutdown()
    }
}

/// Recovers from the errors of an oven.
@MainActor
private final class Oven {
    var remedy: @MainActor () async throws -> Void = {}
}

/// A mounted page, and what it drew.
@MainActor
private final class Session {
    let context: ShopContext
    let oven = Oven()
    private let host: PresentationHost<ShopPage>
    private let outputs = Outputs<String>()
    private(set) var text = ""

    init(_ app: ShopApp) async throws {
        host = PresentationHost(ShopPage.self, app.orchestrator) { [outputs] in outputs.append($0) }
        let recovery: @MainActor @Sendable (any Error) -> RecoveryStrategy = { [oven] error in
            switch error {
            case is OvenError: RecoveryStrategy("heat the oven") { _ in try await oven.remedy() }
            case let error as NetworkError where error.code == .serverError: .notify("The order is not saved.")
            default: .surface
            }
        }
        try await host.mount(ShopContext.Input(recovery: recovery))
        context = try #require(host.context)
    }

    /// Does a step, and adds what the page then shows.
    func step(_ name: String, _ body: (ShopContext) async throws -> Void) async throws {
        try await body(context)
        await until { outputs.all.last == ShopPage(context: context).body }
        text += (text.isEmpty ? "" : "\n\n") + "# \(name)\n" + (outputs.all.last ?? "")
    }

    func end() async { await host.unmount() }
}
