// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomResilience

enum OrdersRequest: Action {
    typealias Answer = [Order]
    case place(String)
    case open
    case ship

    func validate() throws(ValidationError) {
        guard case .place(let item) = self else { return }
        guard (1...40).contains(item.count), item.allSatisfy({ $0.isASCII && $0.isLetter }) else {
            throw .invalidFormat("The item", expected: "a word of 1 to 40 letters")
        }
    }
}

final class OrdersHandler: RequestHandler {
    let identity: ComponentIdentity
    private let orders: ClientOf<OrdersClient>

    init(_ scope: borrowing HandlerScope) throws {
        identity = scope.identity
        orders = try scope.client(OrdersClient.self)
    }

    func handle(_ request: OrdersRequest, in work: borrowing WorkScope) async throws -> [Order] {
        switch request {
        case .place(let item): try await orders.process(.place(item))
        case .open: await orders.state.open
        case .ship: try await orders.process(.ship)
        }
    }

    static func priority(of request: OrdersRequest) -> BulkheadPriority {
        if case .ship = request { .low } else { .normal }
    }
}
