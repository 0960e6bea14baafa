// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Observation

/// The specification's goal for the stack that a body uses.
enum ViewRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "view.memory",
            statement: "the first body of a list of 100 rows, on a painted stack < 256 KB",
            unit: "bytes",
            limit: 262_144,
            measure: { try await stackOfBody() }
        )
    ]

    fileprivate struct Product: Identifiable, Sendable {
        let id: Int
        var name: String
        var cents: Int
        var isInStock: Bool
    }

    /// A tree as a renderer takes it.
    private indirect enum Node {
        case text(String)
        case button(String, id: Int)
        case row([Node])
        case list(title: String, [Node])

        /// The rows of a list, and the nodes in them.
        var counts: (rows: Int, nodes: Int) {
            switch self {
            case .text, .button: (0, 1)
            case .row(let nodes): (1, nodes.reduce(1) { $0 + $1.counts.nodes })
            case .list(_, let rows): (rows.count, rows.reduce(1) { $0 + $1.counts.nodes })
            }
        }
    }

    @MainActor
    @Observable
    fileprivate final class ListContext: Context {
        nonisolated let identity: ComponentIdentity
        private(set) var title = "Products"
        private(set) var products: [Product]

        init(_ scope: borrowing ContextScope) {
            identity = scope.identity
            products = (0..<100).map {
                Product(id: $0, name: "Product number \($0)", cents: 1_000 + $0 * 37, isInStock: $0 % 3 > 0)
            }
        }
    }

    private struct ListPresentation: Presentation {
        let context: ListContext

        var body: Node {
            .list(title: "\(context.title) (\(context.products.count))", context.products.map(row))
        }

        private func row(_ product: Product) -> Node {
            var nodes: [Node] = [.text(product.name), .text(price(product.cents))]
            nodes.append(product.isInStock ? .button("Add", id: product.id) : .text("sold out"))
            return .row(nodes)
        }

        private func price(_ cents: Int) -> String { String(format: "%d.%02d", cents / 100, cents % 100) }
    }

    @MainActor
    private static func stackOfBody() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application { orchestrator in
            orchestrator.register(ListContext.self) { ListContext($0) }
        }
        let presentation = ListPresentation(context: try orchestrator.makeContext(ListContext.self))
        var counts = (rows: 0, nodes: 0)
        let bytes = try PaintedStack.bytes {
            // As a host runs it.
            let picture = withObservationTracking {
                presentation.body
            } onChange: {
            }
            counts = picture.counts
        }
        guard counts == (100, 401) else { throw PaintedStack.Failure(description: "the body has other rows") }
        withExtendedLifetime(orchestrator) {}
        return Double(bytes)
    }
}

/// Runs code of the main actor on a stack that was filled with a pattern: what it overwrites is what it used.
///
/// The stack is the one of a signal handler: the thread sends itself a signal, so the code runs in the same turn of the
/// main actor, at a place where a call could stand.
@MainActor
enum PaintedStack {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let size = 2 * 1_048_576
    private static let pattern: UInt64 = 0xA5C3_96E1_7B2D_48F0
    /// The code to run. Used by one thread, in one turn of the main actor.
    nonisolated(unsafe) private static var pending: (() -> Void)?
    /// An address in the frame that calls the code.
    nonisolated(unsafe) private static var entry = UInt(0)

    /// - Returns: The bytes from the frame that called `body` to the lowest address that was overwritten.
    static func bytes(of body: @escaping @MainActor () -> Void) throws -> Int {
        let stack = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: size / 8)
        defer { stack.deallocate() }
        stack.initialize(repeating: pattern)
        try run(on: stack) { MainActor.assumeIsolated(body) }
        guard pending == nil, let first = stack.firstIndex(where: { $0 != pattern }) else {
            throw Failure(description: "the body did not run on the painted stack")
        }
        let lowest = UInt(bitPattern: stack.baseAddress) + UInt(first) * 8
        guard first > 0, entry > lowest, entry - lowest < UInt(size) else {
            throw Failure(description: "the stack was too small")
        }
        return Int(entry - lowest)
    }

    private static func run(on stack: UnsafeMutableBufferPointer<UInt64>, _ body: @escaping () -> Void) throws {
        var own = stack_t(ss_sp: stack.baseAddress, ss_flags: 0, ss_size: size)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = Int32(SA_ONSTACK)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR1)
        var (oldStack, oldAction, oldSignals) = (stack_t(), sigaction(), sigset_t())
        let failures = [
            sigaltstack(&own, &oldStack), sigaction(SIGUSR1, &action, &oldAction),
            pthread_sigmask(SIG_UNBLOCK, &signals, &oldSignals),
        ]
        defer {
            pthread_sigmask(SIG_SETMASK, &oldSignals, nil)
            sigaction(SIGUSR1, &oldAction, nil)
            sigaltstack(&oldStack, nil)
        }
        guard failures == [0, 0, 0] else { throw Failure(description: "no stack for signals: error \(errno)") }
        pending = body
        raise(SIGUSR1)
    }

    private static let handler: @convention(c) (Int32) -> Void = { _ in runPending() }

    @inline(never)
    nonisolated private static func runPending() {
        let body = pending
        pending = nil
        withUnsafePointer(to: body) { entry = UInt(bitPattern: $0) }
        body?()
    }
}
