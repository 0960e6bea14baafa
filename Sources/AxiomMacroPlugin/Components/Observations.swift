// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// What a context does with the states of its clients: the members marked with `@Observes`.
struct Observations {
    private(set) var misuses: [Misuse] = []
    private let type: TypeDeclaration
    private let clients: [(type: String, property: String)]
    /// The statements by the property of the client, in the order of the declaration.
    private var statements: [(client: String, lines: [String])] = []
    /// Whether a member is marked, correctly or not.
    private var isUsed = false

    init(in type: TypeDeclaration, of clients: [(type: String, property: String)]) {
        (self.type, self.clients) = (type, clients)
        for property in type.members.compactMap({ $0.as(VariableDeclSyntax.self) }) { add(property) }
        for function in type.members.compactMap({ $0.as(FunctionDeclSyntax.self) }) { add(function) }
        if isUsed, let onAppear = type.function("onAppear") { check(onAppear) }
    }

    // MARK: - Marked members

    private mutating func add(_ declaration: VariableDeclSyntax) {
        for (marker, attribute) in declaration.attributes.markers where marker == .observes {
            isUsed = true
            guard let property = declaration.storedProperties.first, !declaration.isStatic, !property.isLet else {
                misuses.append(form(attribute, "'@Observes' needs a stored 'var', or a function with one parameter"))
                continue
            }
            guard attribute.argumentList.count == 2,
                let path = attribute.argumentList.last?.expression.as(KeyPathExprSyntax.self)
            else {
                misuses.append(form(attribute, "Name the part of the state: '@Observes(CartClient.self, \\.items)'"))
                continue
            }
            let part = path.components.trimmedDescription
            let value = part == ".self" ? "state" : "state" + (part.hasPrefix(".") ? part : "." + part)
            add("context.\(property.text) = \(value)", of: attribute)
        }
    }

    private mutating func add(_ function: FunctionDeclSyntax) {
        for (marker, attribute) in function.attributes.markers where marker == .observes {
            isUsed = true
            let parameters = function.signature.parameterClause.parameters
            let effects = function.signature.effectSpecifiers
            guard let parameter = parameters.first, parameters.count == 1, !function.isStatic,
                attribute.argumentList.count == 1, !parameter.type.isInout
            else {
                misuses.append(
                    form(attribute, "'@Observes' needs a function of the context with one parameter, the state")
                )
                continue
            }
            guard effects?.asyncSpecifier == nil else {
                misuses.append(form(attribute, "States are applied one after another: the function cannot be 'async'"))
                continue
            }
            let label = parameter.firstName.tokenKind == .wildcard ? "" : "\(parameter.firstName.text): "
            let attempt = effects?.throwsClause == nil ? "" : "try "
            let result = function.signature.returnClause == nil ? "" : "_ = "
            add("\(result)\(attempt)context.\(function.name.text)(\(label)state)", of: attribute)
        }
    }

    private mutating func add(_ line: String, of attribute: AttributeSyntax) {
        guard let argument = attribute.argumentList.first?.expression else { return }
        let name = argument.metatype ?? argument.trimmedDescription
        guard let client = clients.first(where: { $0.type == name })?.property else {
            misuses.append(
                Misuse(.observesUnknownClient, at: argument, "'\(type.text)' has no '@Client' property of '\(name)'")
            )
            return
        }
        if let index = statements.firstIndex(where: { $0.client == client }) {
            statements[index].lines.append(line)
        } else {
            statements.append((client, [line]))
        }
    }

    /// A function that has the name of the one that the macro writes.
    var takenNames: [Misuse] {
        isUsed && type.function("onAppear") != nil ? type.takenNames(["observeClients"]) : []
    }

    private func form(_ attribute: AttributeSyntax, _ text: String) -> Misuse {
        Misuse(.observesForm, at: attribute.atSign, text)
    }

    /// A written `onAppear` has to begin the observation itself.
    private mutating func check(_ onAppear: FunctionDeclSyntax) {
        guard let body = onAppear.body else { return }
        let calls = body.tokens(viewMode: .sourceAccurate).contains { $0.text == "observeClients" }
        guard !calls else { return }
        misuses.append(
            Misuse(
                .observesNotCalled,
                at: onAppear.name,
                "This 'onAppear' does not begin what '@Observes' asks for",
                body.prepending("observeClients()", "Insert 'observeClients()'")
            )
        )
    }

    // MARK: - Members

    var members: [DeclSyntax] {
        guard isUsed, takenNames.isEmpty else { return [] }
        let calls = statements.map { client, lines in
            lines.count == 1
                ? "    observe(\(client)) { context, state in \(lines[0]) }\n"
                : "    observe(\(client)) { context, state in\n\(lines.map { "        \($0)\n" }.joined())    }\n"
        }
        let head =
            type.function("onAppear") == nil
            ? "\(type.access)func onAppear() async throws" : "private func observeClients()"
        return ["\(raw: head) {\n\(raw: calls.joined())}"]
    }
}

extension TypeSyntax {
    fileprivate var isInout: Bool { firstToken(viewMode: .sourceAccurate)?.tokenKind == .keyword(.inout) }
}
#endif
