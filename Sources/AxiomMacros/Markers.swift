// SPDX-License-Identifier: Apache-2.0

#if Macros
public import Axiom

/// Marks a capability that the initializer resolves, in a type with ``AxiomCapability()`` or `@AxiomClient`. The type of the
/// property is `CapabilityRef<…>`.
@attached(peer)
public macro Capability() = #externalMacro(module: "AxiomMacroPlugin", type: "CapabilityMarker")

/// Marks a client that the initializer resolves, in a class with ``AxiomContext()``. The type of the property is
/// `ClientOf<…>`.
@attached(peer)
public macro Client() = #externalMacro(module: "AxiomMacroPlugin", type: "ClientMarker")

/// Marks a client that the initializer resolves, by its type: `@Client(MailClient.self) let mail: any
/// StatelessClient<MailAction>`.
///
/// - Parameter type: The type of the client, as it is registered.
@attached(peer)
public macro Client<C: StatelessClient>(_ type: C.Type) =
    #externalMacro(module: "AxiomMacroPlugin", type: "ClientMarker")

/// Marks a context that the initializer makes and owns, in a class with ``AxiomContext()``.
@attached(peer)
public macro Downstream() = #externalMacro(module: "AxiomMacroPlugin", type: "DownstreamMarker")

/// Marks a function that is called with each state of a client, as `observe` calls it.
///
/// - Parameter client: The type of a client that the class holds in a property marked with `@Client`.
@attached(peer)
public macro Observes<C: Axiom.Client>(_ client: C.Type) =
    #externalMacro(module: "AxiomMacroPlugin", type: "ObservesMarker")

/// Marks a property that takes a part of each state of a client.
///
/// - Parameters:
///   - client: The type of a client that the class holds in a property marked with `@Client`.
///   - part: The part of the state, such as `\.items`.
@attached(peer)
public macro Observes<C: Axiom.Client, Value>(_ client: C.Type, _ part: KeyPath<C.StateType, Value>) =
    #externalMacro(module: "AxiomMacroPlugin", type: "ObservesMarker")
#endif
