// SPDX-License-Identifier: Apache-2.0

#if Tools
internal import SwiftParser
internal import SwiftSyntax

/// Reads names, paths and types from nodes. `base` is the number of bytes before the tree, of a byte order mark.
struct SyntaxReading {
    let base: Int
    /// The whole file.
    let bytes: [UInt8]

    /// The source of a node without the blanks and comments around it. Faster than `trimmedDescription`, which copies the node.
    func text(_ node: some SyntaxProtocol) -> String {
        let place = span(node).offsets
        guard place.upperBound <= bytes.count else { return node.trimmedDescription }
        return bytes.withUnsafeBufferPointer { String(decoding: $0[place], as: UTF8.self) }
    }

    /// The text of a token. Faster than `TokenSyntax.text`, which makes the kind of the token first.
    func text(_ token: TokenSyntax) -> String {
        let start = base + token.positionAfterSkippingLeadingTrivia.utf8Offset
        let count = token.trimmedLength.utf8Length
        // A missing token has a text, but no place.
        guard count > 0, start + count <= bytes.count else { return token.text }
        return bytes.withUnsafeBufferPointer { String(decoding: $0[start..<start + count], as: UTF8.self) }
    }

    func span(_ node: some SyntaxProtocol) -> FactSpan {
        FactSpan(
            base + node.positionAfterSkippingLeadingTrivia.utf8Offset,
            base + node.endPositionBeforeTrailingTrivia.utf8Offset
        )
    }

    /// The text of a name without back-ticks.
    func name(_ token: TokenSyntax) -> String {
        let text = text(token)
        // Without a back-tick, the identifier is the text, and takes longer to get.
        return text.utf8.first == UInt8(ascii: "`") ? token.identifier?.name ?? text : text
    }

    // MARK: Types

    func reference(_ type: TypeSyntax) -> TypeReference { reference(type, depth: 0) }

    /// A type in many others is as good as unknown.
    private func reference(_ type: TypeSyntax, depth: Int) -> TypeReference {
        let place = span(type)
        guard depth < 64 else { return TypeReference(.other, at: place) }
        func part(_ type: TypeSyntax) -> TypeReference { reference(type, depth: depth + 1) }
        func wrapped(_ name: String, _ inner: TypeSyntax...) -> TypeReference {
            TypeReference(.named, name, inner.map(part), at: place)
        }
        func made(of form: TypeReference.Form, _ parts: [TypeReference]) -> TypeReference {
            TypeReference(form, "", parts, at: place)
        }
        switch type.as(TypeSyntaxEnum.self) {
        case .identifierType(let type):
            return TypeReference(.named, name(type.name), arguments(type.genericArgumentClause), at: place)
        case .memberType(let type): return reference(member: type, depth: depth)
        case .optionalType(let type): return wrapped("Optional", type.wrappedType)
        case .implicitlyUnwrappedOptionalType(let type): return wrapped("Optional", type.wrappedType)
        case .arrayType(let type): return wrapped("Array", type.element)
        case .dictionaryType(let type): return wrapped("Dictionary", type.key, type.value)
        case .tupleType(let type):
            if let only = type.elements.first, type.elements.count == 1 { return part(only.type) }
            return made(of: .tuple, type.elements.map { part($0.type) })
        case .functionType(let type):
            return made(of: .function, type.parameters.map { part($0.type) } + [part(type.returnClause.type)])
        case .someOrAnyType(let type):
            let form: TypeReference.Form = text(type.someOrAnySpecifier) == "any" ? .any : .some
            return made(of: form, [part(type.constraint)])
        case .compositionType(let type): return made(of: .composition, type.elements.map { part($0.type) })
        case .metatypeType(let type): return made(of: .metatype, [part(type.baseType)])
        case .attributedType(let type): return reference(attributed: type, depth: depth)
        default: return TypeReference(.other, at: place)
        }
    }

    private func reference(member type: MemberTypeSyntax, depth: Int) -> TypeReference {
        let outer = reference(type.baseType, depth: depth + 1)
        let isNamed = outer.form == .named
        let path = isNamed ? outer.name + "." + name(type.name) : ""
        return TypeReference(isNamed ? .named : .other, path, arguments(type.genericArgumentClause), at: span(type))
    }

    private func reference(attributed type: AttributedTypeSyntax, depth: Int) -> TypeReference {
        var inner = reference(type.baseType, depth: depth + 1)
        let attributes = type.attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
        inner.attributes = attributes + type.specifiers.map(\.trimmedDescription) + inner.attributes
        inner.span = span(type)
        return inner
    }

    private func arguments(_ clause: GenericArgumentClauseSyntax?) -> [TypeReference] {
        clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self).map(reference) } ?? []
    }

    /// The type that an expression names: `CartState`, `Box<Int>`, `[Item]`, `any Network`.
    func type(of expression: ExprSyntax) -> TypeReference? {
        // Most expressions are none of these, and to ask for their kind takes less time than to open them.
        switch expression.kind {
        case .declReferenceExpr, .memberAccessExpr, .genericSpecializationExpr, .typeExpr, .tupleExpr, .arrayExpr,
            .optionalChainingExpr:
            break
        default: return nil
        }
        var place: FactSpan { span(expression) }
        switch expression.as(ExprSyntaxEnum.self) {
        case .declReferenceExpr(let node):
            let name = name(node.baseName)
            return isTypeName(name) ? TypeReference(.named, name, at: place) : nil
        case .memberAccessExpr(let node):
            let member = name(node.declName.baseName)
            guard isTypeName(member), let outer = node.base.flatMap(type(of:)), outer.form == .named else { return nil }
            return TypeReference(.named, outer.name + "." + member, at: place)
        case .genericSpecializationExpr(let node):
            guard var outer = type(of: node.expression) else { return nil }
            outer.arguments = arguments(node.genericArgumentClause)
            outer.span = place
            return outer
        case .typeExpr(let node): return reference(node.type)
        case .tupleExpr(let node):
            guard let only = node.elements.first, node.elements.count == 1 else { return nil }
            return type(of: only.expression)
        case .arrayExpr(let node):
            guard let only = node.elements.first, node.elements.count == 1 else { return nil }
            return type(of: only.expression).map { TypeReference(.named, "Array", [$0], at: place) }
        case .optionalChainingExpr(let node):
            // An optional of an optional is one.
            return type(of: node.expression).map {
                $0.name == "Optional" ? $0 : TypeReference(.named, "Optional", [$0], at: place)
            }
        default: return nil
        }
    }

    /// Names of types begin with a capital letter. A lower-case type is unknown, which no rule reports.
    func isTypeName(_ name: String) -> Bool {
        guard let byte = name.utf8.first else { return false }
        if byte < 0x80, name.utf8.count == 1 || name.utf8.dropFirst().first.map({ $0 < 0x80 }) == true {
            return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        return name.first.map { $0.isUppercase } ?? false
    }

    /// The type that a call makes.
    func made(by callee: ExprSyntax) -> TypeReference? {
        if let access = callee.as(MemberAccessExprSyntax.self), text(access.declName.baseName) == "init" {
            return access.base.flatMap(type(of:))
        }
        return type(of: callee)
    }

    /// The type of `CartState.self` and of `CartState(items: [])`.
    func shownType(_ expression: ExprSyntax) -> TypeReference? {
        let inner = bare(expression)
        if let call = inner.as(FunctionCallExprSyntax.self) { return made(by: call.calledExpression) }
        guard let access = inner.as(MemberAccessExprSyntax.self), access.declName.baseName.tokenKind == .keyword(.self)
        else { return nil }
        return access.base.flatMap(type(of:))
    }

    // MARK: Expressions

    /// An expression without `try`, `await`, parentheses, `?` and `!`.
    func bare(_ expression: ExprSyntax) -> ExprSyntax {
        switch expression.kind {
        case .tryExpr, .awaitExpr, .unsafeExpr, .optionalChainingExpr, .forceUnwrapExpr, .consumeExpr, .copyExpr,
            .genericSpecializationExpr, .tupleExpr:
            break
        default: return expression
        }
        switch expression.as(ExprSyntaxEnum.self) {
        case .tryExpr(let node): return bare(node.expression)
        case .awaitExpr(let node): return bare(node.expression)
        case .unsafeExpr(let node): return bare(node.expression)
        case .optionalChainingExpr(let node): return bare(node.expression)
        case .forceUnwrapExpr(let node): return bare(node.expression)
        case .consumeExpr(let node): return bare(node.expression)
        case .copyExpr(let node): return bare(node.expression)
        case .genericSpecializationExpr(let node): return bare(node.expression)
        case .tupleExpr(let node):
            if let only = node.elements.first, node.elements.count == 1 { return bare(only.expression) }
            return expression
        default: return expression
        }
    }

    /// The names that an expression consists of, with dots and without a leading `self.`. A part that is no name is `()`.
    func path(_ expression: ExprSyntax) -> String {
        let path = fullPath(expression)
        return path.hasPrefix("self.") ? String(path.dropFirst(5)) : path
    }

    private func fullPath(_ expression: ExprSyntax) -> String {
        var parts: [String] = []
        var next: ExprSyntax? = expression
        while let current = next {
            switch bare(current).as(ExprSyntaxEnum.self) {
            case .declReferenceExpr(let node):
                parts.append(name(node.baseName))
                next = nil
            case .memberAccessExpr(let node):
                parts.append(name(node.declName.baseName))
                next = node.base
                if next == nil { parts.append("") }
            default:
                parts.append("()")
                next = nil
            }
        }
        return parts.reversed().joined(separator: ".")
    }

    /// The path if the expression consists of names alone, else nothing.
    func names(_ expression: ExprSyntax) -> String {
        let path = path(expression)
        return path.containsBytes("()") ? "" : path
    }

    func value(_ expression: ExprSyntax) -> Value {
        var value = Value(span: span(expression), path: names(expression))
        let inner = bare(expression)
        if let call = inner.as(FunctionCallExprSyntax.self) { value.made = made(by: call.calledExpression) }
        if let array = inner.as(ArrayExprSyntax.self) {
            let texts = array.elements.map { $0.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
            if texts.allSatisfy({ $0 != nil }) { value.strings = texts.compactMap(\.self) }
        }
        return value
    }

    /// The path of a state that a value is or is computed from directly: `store.state` of `store.state.count + 1`.
    func stateRoot(_ expression: ExprSyntax) -> String {
        let parts = expression.as(SequenceExprSyntax.self).map { Array($0.elements) } ?? [expression]
        for part in parts {
            let path = names(part)
            let names = path.split(separator: ".")
            if let index = names.firstIndex(of: "state") { return names[...index].joined(separator: ".") }
        }
        return ""
    }
}

extension String {
    /// Whether the bytes of a short ASCII text occur. Faster than `contains(_:)`, which compares characters.
    func containsBytes(_ pattern: StaticString) -> Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            let count = pattern.utf8CodeUnitCount
            guard bytes.count >= count else { return false }
            return (0...(bytes.count - count)).contains { start in
                (0..<count).allSatisfy { bytes[start + $0] == pattern.utf8Start[$0] }
            }
        } ?? contains("\(pattern)")
    }
}
#endif
