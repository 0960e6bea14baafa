// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import ShopLoad

// The decorators that the factories of the demo register in place of the real components: the ledger counts in them, and no
// component has a line for it. The contexts are subclassed here, and are not final for that reason alone.

extension UpstreamError: RequestBound {}

/// The network, with the fate of each request that is answered or cancelled. The fate of one that fails depends on the
/// context that gets the error.
actor CountedNetwork: Capability, Network {
    static let componentName = HTTPNetwork.componentName

    nonisolated let identity: ComponentIdentity
    private let network: HTTPNetwork
    private let faults: FaultTable

    init(_ scope: borrowing CapabilityScope, port: Int, clock: TimeSource, faults: FaultTable) {
        identity = scope.identity
        network = HTTPNetwork(scope, port: port, clock: clock)
        self.faults = faults
    }

    nonisolated func send(_ request: NetworkRequest) async throws -> [UInt8] {
        do {
            let body = try await network.send(request)
            faults.settle(request.number, .answered)
            return body
        } catch is CancellationError {
            faults.settle(request.number, .cancelled)
            throw CancellationError()
        }
    }
}

final class CountedAppNavigationContext: AppNavigationContext {
    override func handle(_ intent: AppNavigationIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}

final class CountedHomeContext: HomeContext {
    override func handle(_ intent: HomeIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}

final class CountedSettingsContext: SettingsContext {
    override func handle(_ intent: SettingsIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}

final class CountedProfileContext: ProfileContext {
    override func handle(_ intent: ProfileIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}

final class CountedNotificationContext: NotificationContext {
    override func handle(_ intent: NotificationIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}

final class CountedCheckoutContext: CheckoutContext {
    override func handle(_ intent: CheckoutIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}

final class CountedUserContext: UserContext {
    override func handle(_ intent: UserIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}

final class CountedCartContext: CartContext {
    override func handle(_ intent: CartIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}

final class CountedPricingContext: PricingContext {
    override func handle(_ intent: PricingIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}

final class CountedPaymentContext: PaymentContext {
    override func handle(_ intent: PaymentIntent) async throws {
        try await ActionRecorder.attempt(of: self) { try await super.handle(intent) }
    }
}
