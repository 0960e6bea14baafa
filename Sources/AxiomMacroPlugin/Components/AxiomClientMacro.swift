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
        let component = ComponentDeclaration(type: type, role: .client)
        return component.isLocalActor ? ClientDeclaration(component, node, isNested: context.isNested).members : []
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = TypeDeclaration(declaration) else { return [] }
        let component = ComponentDeclaration(type: declaration, role: .client)
        let client = ClientDeclaration(component, node, isNested: context.isNested)
        client.misuses.report(in: context)
        return client.canConform ? try declaration.conformance(to: protocols, of: type) : []
    }
}

private struct ClientDeclaration {
    private let component: ComponentDeclaration
    private let dependencies: Dependencies
    private let arguments: [LabeledExprSyntax]
    private let state: InitialState?
    private let isNested: Bool

    /// The type of the state, and the expression that makes the first one.
    private struct InitialState {
        let type: String
        let value: String

        init?(_ argument: ExprSyntax) {
            if let type = argument.metatype {
                (self.type, value) = (type, "\(type)()")
            } else if let call = argument.as(FunctionCallExprSyntax.self), let type = Self.type(call.calledExpression) {
                (self.type, value) = (type, call.trimmedDescription)
            } else {
                return nil
            }
        }

        /// The type that is called, also by `CartState.init(…)`.
        private static func type(_ callee: ExprSyntax) -> String? {
            if let access = callee.as(MemberAccessExprSyntax.self), access.declName.baseName.text == "init" {
                return access.base.flatMap { type($0) }
            }
            let name = callee.as(GenericSpecializationExprSyntax.self)?.expression ?? callee
            guard let last = name.trimmedDescription.split(separator: ".").last, last.first?.isUppercase == true
            else { return nil }
            return callee.trimmedDescription
        }
    }

    init(_ component: ComponentDeclaration, _ node: AttributeSyntax, isNested: Bool) {
        self.isNested = isNested
        self.component = component
        dependencies = Dependencies(of: component)
        arguments = node.argumentList
        state = node.argumentList.first.flatMap { InitialState($0.expression) }
    }

    private var type: TypeDeclaration { component.type }

    // MARK: - Misuses

    var misuses: [Misuse] {
        guard component.isLocalActor else { return [component.notAnActor(.clientNotActor)] }
        let own = [unreadableState, secondState, missingProcess, processForm].compactMap(\.self)
        return own + members(isNested) + dependencies.misuses + component.initializerMisuses
    }

    /// Whether nothing is known that contradicts the conformance.
    var canConform: Bool {
        component.isLocalActor && unreadableState == nil && missingProcess == nil && processForm == nil
            && members(isNested).isEmpty
    }

    private func members(_ isNested: Bool) -> [Misuse] {
        component.memberMisuses(isNested: isNested, store: state != nil)
    }

    /// A function `process` that is not the one of the protocol.
    private var processForm: Misuse? {
        let functions = type.functions("process")
        guard let function = functions.first, !functions.contains(where: \.isProcess) else { return nil }
        let text = "'process' has to have the form 'func process(_ action: …) async throws'"
        guard function.isProcessExceptLabel, let parameter = function.signature.parameterClause.parameters.first else {
            return Misuse(.clientProcessForm, at: function.name, text)
        }
        let label = parameter.firstName
        return Misuse(
            .clientProcessForm,
            at: label,
            text,
            parameter.secondName == nil
                ? .inserting("_ ", before: label, "Insert '_'") : .replacing(label, with: "_", "Replace it with '_'")
        )
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
        guard component.hasFreeNames(store: state != nil) else { return component.placeholder }
        let resolutions = dependencies.resolutions + storeResolution
        return component.identity + store + published
            + component.initializer(resolutions, isValid: dependencies.misuses.isEmpty)
    }

    private var hasStore: Bool { type.property("store") != nil }

    private var store: [DeclSyntax] {
        guard let state, !hasStore else { return [] }
        return ["private let store: Axiom.StateStore<\(raw: state.type)>"]
    }

    private var storeResolution: [DependencyResolution] {
        guard let state else { return [] }
        let needsValue = type.storedProperties.first { $0.text == "store" }?.needsValue ?? !hasStore
        guard needsValue else { return [] }
        return [DependencyResolution(property: "store", expression: "scope.store(\(state.value))", canThrow: false)]
    }

    private var published: [DeclSyntax] {
        guard let state else { return [] }
        var members: [DeclSyntax] = []
        if type.property("state") == nil {
            members.append("\(raw: type.access)var state: \(raw: state.type) { store.state }")
        }
        if type.property("stateStream") == nil {
            let name = "Axiom.StateStream<\(state.type)>"
            members.append("\(raw: type.access)nonisolated var stateStream: \(raw: name) { store.stream }")
        }
        return members
    }
}

extension FunctionDeclSyntax {
    /// Whether it is the function of the protocol `StatelessClient`.
    fileprivate var isProcess: Bool {
        isProcessExceptLabel && signature.parameterClause.parameters.first?.firstName.tokenKind == .wildcard
    }

    fileprivate var isProcessExceptLabel: Bool {
        let result = signature.returnClause?.type.trimmedDescription ?? "Void"
        return !isStatic && genericParameterClause == nil && signature.parameterClause.parameters.count == 1
            && ["Void", "()", "Swift.Void"].contains(result)
    }
}
#endif
