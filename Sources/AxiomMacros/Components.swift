// SPDX-License-Identifier: Apache-2.0

#if Macros
public import Axiom

/// Makes an actor a capability.
///
/// Writes the property `identity`, the initializer that resolves the properties marked with ``Capability()``, and the
/// conformance to `Capability`. What is written already stays: an own initializer has to store `scope.identity`.
@attached(member, names: named(identity), named(init))
@attached(extension, conformances: Axiom.Capability)
public macro AxiomCapability() = #externalMacro(module: "AxiomMacroPlugin", type: "AxiomCapabilityMacro")

/// Makes an actor a client without state.
///
/// Writes the property `identity`, the initializer that resolves the properties marked with ``Capability()``, and the
/// conformance to `StatelessClient` and `Component`.
@attached(member, names: named(identity), named(init))
@attached(extension, conformances: StatelessClient, Component)
public macro AxiomClient() = #externalMacro(module: "AxiomMacroPlugin", type: "AxiomClientMacro")

/// Makes an actor a client that owns a state.
///
/// ```swift
/// @AxiomClient(CartState.self) actor CartClient {
///     @Capability let network: CapabilityRef<any Network>
///     func process(_ action: CartAction) async throws { store.update { $0.items = [] } }
/// }
/// ```
/// Writes the properties `identity`, `store`, `state` and `stateStream`, the initializer that resolves the properties
/// marked with ``Capability()``, and the conformance to `Client` and `Component`. What is written already stays, such as a
/// store of another type.
///
/// - Parameters:
///   - state: The type of the state, which has an initializer without parameters.
///   - others: None. A client owns one state; the macro refuses more.
@attached(member, names: named(identity), named(store), named(state), named(stateStream), named(init))
@attached(extension, conformances: Axiom.Client, Component)
public macro AxiomClient<S: OwnedState>(_ state: S.Type, _ others: any OwnedState.Type...) =
    #externalMacro(module: "AxiomMacroPlugin", type: "AxiomClientMacro")

/// Makes an actor a client that owns a state, with a first state: `@AxiomClient(CartState(items: ["tea"]))`.
///
/// - Parameter initial: A call of the initializer of the state's type.
@attached(member, names: named(identity), named(store), named(state), named(stateStream), named(init))
@attached(extension, conformances: Axiom.Client, Component)
public macro AxiomClient<S: OwnedState>(_ initial: S) =
    #externalMacro(module: "AxiomMacroPlugin", type: "AxiomClientMacro")

/// Makes a final class a context. The class is marked with `@Observable` and `@MainActor` too.
///
/// ```swift
/// @AxiomContext @Observable @MainActor final class CartContext {
///     @Client let cart: ClientOf<CartClient>
///     @Observes(CartClient.self, \.items) private(set) var items: [String] = []
///     func handle(_ action: CartAction) async throws { try await cart.process(action) }
/// }
/// ```
/// Writes the property `identity`, the initializer that resolves the properties marked with `@Client` and `@Downstream`, and
/// the conformance to `Context`. If a member is marked with `@Observes`, it writes `onAppear()` too. A class with an
/// `onAppear()` gets `observeClients()`, which that function has to call.
@attached(member, names: named(identity), named(init), named(onAppear), named(observeClients))
@attached(extension, conformances: Context)
public macro AxiomContext() = #externalMacro(module: "AxiomMacroPlugin", type: "AxiomContextMacro")
#endif
