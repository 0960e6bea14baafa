// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomNavigation
internal import ShopLoad

/// Follows one script in one window.
@MainActor
final class Shopper: SimulatedUser {
    private let visit: Visit
    private let clock: TimeSource
    private var script: Script
    private let links: DeepLinkTable<ShopRoute>?
    private var window: ShopWindow?

    init(_ visit: Visit, script: Script, clock: TimeSource) {
        // Every fourth shopper follows links.
        links = visit.shopper.isMultiple(of: 4) ? try? ShopLinks.table() : nil
        self.visit = visit
        self.script = script
        self.clock = clock
    }

    func nextStep() -> Step? {
        script.next()
    }

    /// - Throws: The error of a transition.
    func take(_ step: Step) async throws {
        switch step {
        case .open(let screen): try await open(screen)
        case .act(let intent, let patience):
            guard let window else { return }
            try await act(intent, patience, in: window)
        case .lookAway:
            await visit.orchestrator.enterBackground()
            await visit.orchestrator.enterForeground()
        }
    }

    /// Goes to the screen. Signs in first if it requires that.
    private func open(_ screen: Screen) async throws {
        let window = try self.window ?? ShopWindow(visit)
        self.window = window
        let route = screen.route(product: visit.shopper % ShopRoute.articles.count + 1)
        do {
            let outcome =
                if let link = links?.text(for: route) {
                    try await window.follow(link)
                } else {
                    try await window.show(route)
                }
            guard case .redirected(to: .signIn(returnTo: let wanted?)) = outcome else { return }
            try await window.signIn(as: Habits.customer(ofShopper: visit.shopper), for: wanted)
        } catch is CancellationError {
            // The load ends.
        }
    }

    private func act(_ intent: Intent, _ patience: Duration?, in window: ShopWindow) async throws {
        guard let patience else { return try await window.act(intent) }
        let action = Task { try await window.act(intent) }
        let timer = Task { [clock] in
            try await clock.sleep(for: patience)
            action.cancel()
        }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await action.value
        } onCancel: {
            action.cancel()
        }
    }

    /// Closes the window.
    func leave() async {
        await window?.close()
        window = nil
        visit.displays.clear(visit.shopper)
    }
}

/// One thing that a shopper does.
enum Step: Hashable, Sendable, CustomStringConvertible {
    /// Goes to a screen.
    case open(Screen)
    /// Uses the open screen. Cancels the action after `patience`, if there is one.
    case act(Intent, patience: Duration?)
    /// Switches to another application and back.
    case lookAway

    /// The step without the values of its intent.
    var description: String {
        switch self {
        case .open(let screen): "open \(screen.rawValue)"
        case .act(let intent, _): "\(intent)"
        case .lookAway: "look away"
        }
    }
}

/// The steps of one shopper: the same for the same seed and shopper, independent of what the shop does.
struct Script: Sequence, IteratorProtocol, Sendable {
    private static let stepsPerScreen = 3...12
    /// The share of actions that are cancelled, and after how many milliseconds.
    private static let (impatient, patience) = (0.15, 0...12)
    private static let lookingAway = 0.02

    private var generator: SeededGenerator
    private var screen = Screen.appNavigation
    private var stepsLeft = 0

    init(seed: UInt64, shopper: Int) {
        generator = SeededGenerator(seed: seed, stream: UInt64(shopper))
    }

    /// The next step. A script never ends.
    mutating func next() -> Step? {
        guard stepsLeft > 0 else { return openAnother() }
        stepsLeft -= 1
        if Double.random(in: 0..<1, using: &generator) < Self.lookingAway { return .lookAway }
        let intent = Habits.intent(for: screen, using: &generator)
        let isImpatient = Double.random(in: 0..<1, using: &generator) < Self.impatient
        let patience = Int.random(in: Self.patience, using: &generator)
        return .act(intent, patience: isImpatient ? .milliseconds(patience) : nil)
    }

    /// The two roots are opened as often as all other screens together.
    private mutating func openAnother() -> Step {
        let root = Bool.random(using: &generator) ? Screen.appNavigation : .checkout
        let any = Screen.allCases.randomElement(using: &generator) ?? root
        screen = Bool.random(using: &generator) ? root : any
        stepsLeft = Int.random(in: Self.stepsPerScreen, using: &generator)
        return .open(screen)
    }
}
