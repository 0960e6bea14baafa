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
        // As a host runs it, but for the actor: nothing else uses the context while this thread waits for the other.
        let body: @MainActor () -> Void = {
            let picture = withObservationTracking { presentation.body } onChange: {}
            counts = picture.counts
        }
        let bytes = try PaintedStack.bytes(of: unsafeBitCast(body, to: (() -> Void).self))
        guard counts == (100, 401) else { throw PaintedStack.Failure(description: "the body has other rows") }
        withExtendedLifetime(orchestrator) {}
        return Double(bytes)
    }
}

/// A thread whose stack is filled with a pattern before it runs: what it overwrites is what it used.
enum PaintedStack {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let size = 2 * 1_048_576
    private static let pattern: UInt64 = 0xA5C3_96E1_7B2D_48F0

    /// Unchecked: the thread that waits and the one that runs do not use it at the same time.
    private final class Work: @unchecked Sendable {
        let body: () -> Void
        /// An address in the frame that calls the body.
        var entry = UnsafeRawPointer(bitPattern: 0)

        init(_ body: @escaping () -> Void) { self.body = body }

        @inline(never)
        func run() {
            withUnsafePointer(to: self) { entry = UnsafeRawPointer($0) }
            body()
        }
    }

    /// Runs `body` on such a thread and waits for it.
    ///
    /// - Returns: The bytes from the frame that called it to the lowest address that was overwritten.
    static func bytes(of body: @escaping () -> Void) throws -> Int {
        let words = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: size / 8)
        defer { words.deallocate() }
        words.initialize(repeating: pattern)
        // The stack of a thread begins at a page.
        let memory = UnsafeMutableRawPointer(words.baseAddress!).alignedUp(toMultipleOf: 65_536)
        let work = Work(body)
        try run(work, stack: memory, size - 65_536)
        guard let first = words.firstIndex(where: { $0 != pattern }), let entry = work.entry else {
            throw Failure(description: "the body did not run on the painted stack")
        }
        let lowest = UnsafeRawPointer(words.baseAddress! + first)
        guard lowest > UnsafeRawPointer(memory) + 8, entry > lowest else {
            throw Failure(description: "the stack was too small")
        }
        return entry - lowest
    }

    private static func run(_ work: Work, stack: UnsafeMutableRawPointer, _ size: Int) throws {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let reference = Unmanaged.passUnretained(work).toOpaque()
        let failure =
            pthread_attr_setstack(&attributes, stack, size) == 0
            ? pthread_create(&thread, &attributes, runWork, reference) : EINVAL
        guard failure == 0 else { throw Failure(description: "no thread: error \(failure)") }
        pthread_join(thread, nil)
    }

    private static let runWork: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        $0.map { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue().run() }
        return nil
    }
}
