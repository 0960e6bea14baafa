// SPDX-License-Identifier: Apache-2.0

internal import SwiftParser
@_spi(RawSyntax) internal import SwiftSyntax

/// Reads names, paths and types from nodes.
struct SyntaxReading {
    /// The number of bytes before the tree, of a byte order mark.
    let base: Int
    /// The whole file.
    let bytes: [UInt8]
    /// Whether the file has errors.
    let isBroken: Bool
    private let starts = TextStarts()

    init(base: Int, bytes: [UInt8], isBroken: Bool) {
        self.base = base
        self.bytes = bytes
        self.isBroken = isBroken
    }

    // MARK: Text

    func span(_ node: SourceNode) -> FactSpan {
        let place = place(of: node)
        return FactSpan(place.lowerBound, place.upperBound)
    }

    /// The text of a node without the blanks and comments around it, as UTF-8 offsets in the file.
    func place(of node: SourceNode) -> Range<Int> {
        let first = starts.start(of: node)
        return first..<max(first, node.end - node.raw.trailingTriviaByteLength)
    }

    /// The source of a node without the blanks and comments around it.
    func text(_ node: SourceNode) -> String {
        let place = place(of: node)
        // A missing token has a text, but no place.
        if place.isEmpty, let token = node.raw.tokenView { return String(syntaxText: token.rawText) }
        return string(place)
    }

    private func string(_ place: Range<Int>) -> String {
        guard place.upperBound <= bytes.count else { return "" }
        return bytes.withUnsafeBufferPointer { String(decoding: $0[place], as: UTF8.self) }
    }

    /// The text of a token that is a name, without back-ticks.
    func name(_ token: SourceNode?) -> String {
        guard let token else { return "" }
        let text = text(token)
        guard text.utf8.first == UInt8(ascii: "`") else { return text }
        return token.detached.as(TokenSyntax.self)?.identifier?.name ?? text
    }

    func isKeyword(_ token: SourceNode?, _ word: SyntaxText) -> Bool {
        guard let token = token?.raw.tokenView else { return false }
        return token.rawKind == .keyword && token.rawText == word
    }

    /// The value of a string literal without interpolation; nil for any other expression.
    func literal(_ node: SourceNode) -> String? {
        guard node.kind == .stringLiteralExpr else { return nil }
        if !isBroken, node[.literalPounds] == nil, node[.literalQuote]?.raw.tokenView?.rawKind == .stringQuote {
            let segments = node.list(.literalSegments)
            if segments.contains(where: { $0.kind == .expressionSegment }) { return nil }
            if let only = segments.only {
                let text = text(only)
                if !text.utf8.contains(UInt8(ascii: "\\")) { return text }
            }
        }
        return node.detached.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }

    // MARK: Types

    /// A type in many others is as good as unknown.
    func reference(_ type: SourceNode, depth: Int = 0) -> TypeReference {
        let place = span(type)
        guard depth < 64 else { return TypeReference(.other, at: place) }
        func part(_ type: SourceNode?) -> TypeReference {
            type.map { reference($0, depth: depth + 1) } ?? TypeReference(.other, at: place)
        }
        func wrapped(_ name: String, _ inner: SourceNode?...) -> TypeReference {
            TypeReference(.named, name, inner.map(part), at: place)
        }
        func made(of form: TypeReference.Form, _ parts: [TypeReference]) -> TypeReference {
            TypeReference(form, "", parts, at: place)
        }
        switch type.kind {
        case .identifierType:
            return TypeReference(.named, name(type[.typeName]), arguments(type.part(.genericArgumentClause)), at: place)
        case .memberType: return reference(member: type, depth: depth)
        case .optionalType, .implicitlyUnwrappedOptionalType: return wrapped("Optional", type.typePart)
        case .arrayType: return wrapped("Array", type.typePart)
        case .dictionaryType: return wrapped("Dictionary", type[.dictionaryKey], type[.dictionaryValue])
        case .tupleType:
            let elements = type.list(.tupleTypeElementList)
            if let only = elements.only { return part(only.typePart) }
            return made(of: .tuple, elements.map { part($0.typePart) })
        case .functionType:
            let parameters = type.list(.tupleTypeElementList).map { part($0.typePart) }
            return made(of: .function, parameters + [part(type.part(.returnClause)?.typePart)])
        case .someOrAnyType:
            let form: TypeReference.Form = type[.someOrAny].map(text) == "any" ? .any : .some
            return made(of: form, [part(type.typePart)])
        case .compositionType:
            return made(of: .composition, type.list(.compositionTypeElementList).map { part($0.typePart) })
        case .metatypeType: return made(of: .metatype, [part(type.typePart)])
        case .attributedType: return reference(attributed: type, depth: depth)
        default: return TypeReference(.other, at: place)
        }
    }

    private func reference(member type: SourceNode, depth: Int) -> TypeReference {
        let place = span(type)
        guard let outer = type.typePart.map({ reference($0, depth: depth + 1) }), outer.form == .named else {
            return TypeReference(.other, "", arguments(type.part(.genericArgumentClause)), at: place)
        }
        let path = outer.name + "." + name(type[.memberTypeName])
        return TypeReference(.named, path, arguments(type.part(.genericArgumentClause)), at: place)
    }

    private func reference(attributed type: SourceNode, depth: Int) -> TypeReference {
        guard let base = type.typePart else { return TypeReference(.other, at: span(type)) }
        var inner = reference(base, depth: depth + 1)
        let attributes = attributeNames(type.list(.attributeList))
        inner.attributes = attributes + type.list(.typeSpecifierList).map { text($0) } + inner.attributes
        inner.span = span(type)
        return inner
    }

    /// The names of attributes as they are written.
    func attributeNames(_ list: SourceNode.Children) -> [String] {
        list.compactMap { $0.kind == .attribute ? $0.typePart.map(text) : nil }
    }

    private func arguments(_ clause: SourceNode?) -> [TypeReference] {
        clause?.list(.genericArgumentList).compactMap { argument in argument.typePart.map { reference($0) } } ?? []
    }

    /// The type that an expression names: `CartState`, `Box<Int>`, `[Item]`, `any Network`.
    func type(of expression: SourceNode) -> TypeReference? {
        switch expression.kind {
        case .declReferenceExpr:
            guard let token = expression[.referenceName], isTypeName(token) else { return nil }
            return TypeReference(.named, name(token), at: span(expression))
        case .memberAccessExpr:
            guard let token = expression[.member]?[.referenceName], isTypeName(token),
                let outer = expression[.memberBase].flatMap(type(of:)), outer.form == .named
            else { return nil }
            return TypeReference(.named, outer.name + "." + name(token), at: span(expression))
        case .genericSpecializationExpr:
            guard var outer = expression[.specialized].flatMap(type(of:)) else { return nil }
            outer.arguments = arguments(expression.part(.genericArgumentClause))
            outer.span = span(expression)
            return outer
        case .typeExpr: return expression.typePart.map { reference($0) }
        case .tupleExpr: return expression.list(.tupleElements).only?[.argument].flatMap(type(of:))
        case .arrayExpr:
            return expression.list(.arrayElements).only?[.arrayElement].flatMap(type(of:)).map {
                TypeReference(.named, "Array", [$0], at: span(expression))
            }
        case .optionalChainingExpr:
            // An optional of an optional is one.
            return expression[.chained].flatMap(type(of:)).map {
                $0.name == "Optional" ? $0 : TypeReference(.named, "Optional", [$0], at: span(expression))
            }
        default: return nil
        }
    }

    /// Names of types begin with a capital letter. A lower-case type is unknown, which no rule reports.
    func isTypeName(_ token: SourceNode) -> Bool {
        let place = place(of: token)
        guard place.upperBound <= bytes.count, let first = bytes[place].first else { return isTypeName(name(token)) }
        // A letter of ASCII may begin a longer character.
        guard first < 0x80, first != UInt8(ascii: "`"), place.count == 1 || bytes[place.lowerBound + 1] < 0x80 else {
            return isTypeName(name(token))
        }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
    }

    private func isTypeName(_ name: String) -> Bool { name.first.map { $0.isUppercase } ?? false }

    /// The type that a call makes.
    func made(by callee: SourceNode) -> TypeReference? {
        if callee.kind == .memberAccessExpr, isText(callee[.member]?[.referenceName], "init") {
            return callee[.memberBase].flatMap(type(of:))
        }
        return type(of: callee)
    }

    /// Whether the source of a token is a word.
    func isText(_ token: SourceNode?, _ word: SyntaxText) -> Bool { token?.raw.tokenView?.rawText == word }

    /// The type of `CartState.self` and of `CartState(items: [])`.
    func shownType(_ expression: SourceNode) -> TypeReference? {
        let inner = bare(expression)
        if inner.kind == .functionCallExpr { return inner[.callee].flatMap(made(by:)) }
        guard inner.kind == .memberAccessExpr, isKeyword(inner[.member]?[.referenceName], "self") else { return nil }
        return inner[.memberBase].flatMap(type(of:))
    }
}

extension SourceNode {
    /// Whether the node is a type.
    var isType: Bool {
        switch kind {
        case .identifierType, .memberType, .optionalType, .arrayType, .dictionaryType, .someOrAnyType: true
        case .token, .memberAccessExpr, .declReferenceExpr, .integerLiteralExpr: false
        default: kind.syntaxNodeType is any TypeSyntaxProtocol.Type
        }
    }

    /// Whether the node is an expression, and no statement or declaration.
    var isExpression: Bool { kind.syntaxNodeType is any ExprSyntaxProtocol.Type }
}
