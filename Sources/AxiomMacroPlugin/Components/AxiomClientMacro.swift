// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@AxiomClient(CartState.self)`: the identity, the store with its state and stream, the initializer, and the conformance
/// to `Client` and `Component`. Without an argument the client is stateless.
struct AxiomClientMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let type = TypeDeclaration(declaration) else { return [] }
        let client = ClientDeclaration(ComponentDeclaration(type: type, role: .client), node)
        client.misuses.report(in: context)
        return type.isActor ? client.members : []
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let client = TypeDeclaration(declaration), client.isActor, client.function("process") != nil
        else { return [] }
        return try client.conformance(to: protocols, of: type)
    }
}

private struct ClientDeclaration {
    private let component: ComponentDeclaration
    private let dependencies: Dependencies
    private let arguments: [LabeledExprSyntax]
    private let state: InitialState?

    /// The type of the state, and the expression that makes the first one.
    private struct InitialState {
        let type: String
        let value: String

        init?(_ argument: ExprSyntax) {
            if let type = argument.metatype {
                (self.type, value) = (type, "\(type)()")
            } else if let call = argument.as(FunctionCallExprSyntax.self),
                let name = call.calledExpression.trimmedDescription.split(separator: ".").last,
                name.first?.isUppercase == true
            {
                (type, value) = (call.calledExpression.trimmedDescription, call.trimmedDescription)
            } else {
                return nil
            }
        }
    }

    init(_ component: ComponentDeclaration, _ node: AttributeSyntax) {
        self.component = component
        dependencies = Dependencies(of: component)
        arguments = node.argumentList
        state = node.argumentList.first.flatMap { InitialState($0.expression) }
    }

    private var type: TypeDeclaration { component.type }

    // MARK: - Misuses

    var misuses: [Misuse] {
        guard type.isActor else { return [component.notAnActor(.clientNotActor)] }
        let own = [unreadableState, secondState, missingProcess].compactMap(\.self)
        return own + dependencies.misuses + component.initializerMisuses
    }

    private var unreadableState: Misuse? {
        guard let argument = arguments.first, state == nil else { return nil }
        return Misuse(
            .clientStateArgument,
            at: argument,
            "Write the type of the state, as 'CartState.self', or its first value, as 'CartState(items: [])'"
        )
    }

    /// A second argument, or a store of another state.
    private var secondState: Misuse? {
        let text = "A client owns one state: make one state of both, or a client for each"
        if arguments.count > 1 { return Misuse(.clientTwoStates, at: arguments[1].expression, text) }
        guard let state else { return nil }
        let store = type.storedProperties.first { property in
            guard ["StateStore", "PersistentStore"].contains(property.type?.baseName) else { return false }
            return property.type?.onlyArgument != state.type
        }
        return store.flatMap(\.type).map { Misuse(.clientTwoStates, at: $0, text) }
    }

    private var missingProcess: Misuse? {
        guard type.function("process") == nil else { return nil }
        return Misuse(
            .clientProcessMissing,
            at: type.name,
            "'\(type.text)' has no function 'process'; a macro does not see extensions, so write it in the actor itself",
            type.appending(["func process(_ action: <#Action#>) async throws {}"], "Add 'process'")
        )
    }

    // MARK: - Members

    var members: [DeclSyntax] {
        let resolutions = dependencies.resolutions + storeResolution
        return component.identity + store + published
            + component.initializer(resolutions, isValid: dependencies.misuses.isEmpty)
    }

    private var hasStore: Bool { type.property("store") != nil }

    private var store: [DeclSyntax] {
        guard let state, !hasStore else { return [] }
        return ["private let store: StateStore<\(raw: state.type)>"]
    }

    private var storeResolution: [Resolution] {
        guard let state else { return [] }
        let needsValue = type.storedProperties.first { $0.text == "store" }?.needsValue ?? !hasStore
        guard needsValue else { return [] }
        return [Resolution(property: "store", expression: "scope.store(\(state.value))", canThrow: false)]
    }

    private var published: [DeclSyntax] {
        guard let state else { return [] }
        var members: [DeclSyntax] = []
        if type.property("state") == nil {
            members.append("\(raw: type.access)var state: \(raw: state.type) { store.state }")
        }
        if type.property("stateStream") == nil {
            let name = "StateStream<\(state.type)>"
            members.append("\(raw: type.access)nonisolated var stateStream: \(raw: name) { store.stream }")
        }
        return members
    }
}
#endif
