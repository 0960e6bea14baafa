// SPDX-License-Identifier: Apache-2.0

#if Tools
internal import SwiftParser
internal import SwiftSyntax

extension FileFacts {
    /// Reads the facts of a file in one walk of its tree.
    package static func read(path: String, module: String, bytes: [UInt8]) -> FileFacts {
        guard !TreeDepth.isTooDeepToParse(bytes) else { return tooDeep(path: path, module: module, bytes: bytes) }
        return TreeDepth.run(bytes) { parsed(path: path, module: module, bytes: bytes) }
    }

    private static func tooDeep(path: String, module: String, bytes: [UInt8]) -> FileFacts {
        var facts = FileFacts(path: path, module: module)
        facts.byteCount = bytes.count
        facts.syntaxError = FactSpan(0, 0)
        facts.isTooDeep = true
        return facts
    }

    private static func parsed(path: String, module: String, bytes: [UInt8]) -> FileFacts {
        let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let tree = bytes.withUnsafeBufferPointer { Parser.parse(source: UnsafeBufferPointer(rebasing: $0[mark...])) }
        guard bytes.count <= TreeDepth.limit || !TreeDepth.isTooDeep(tree) else {
            return tooDeep(path: path, module: module, bytes: bytes)
        }
        let reader = FactsReader(FileFacts(path: path, module: module), bytes: bytes, base: mark)
        reader.isBroken = tree.hasError
        reader.walk(tree)
        reader.readLines()
        reader.readSuppressions(tree)
        if tree.hasError { reader.facts.syntaxError = reader.firstError(in: Syntax(tree)) }
        return reader.facts
    }
}

/// Walks a tree once and notes facts. Its extensions read declarations, bodies and comments.
final class FactsReader: SyntaxVisitor {
    /// What surrounds the node under the walk.
    struct Frame {
        var site = Site()
        /// The names of the declarations around, and `$` with an offset for functions.
        var scope: [String] = []
    }

    /// A name that a function uses.
    struct SeenName: Hashable {
        let declaration: Int?
        let function: Int?
        let name: String
    }

    var facts: FileFacts
    let bytes: [UInt8]
    let reading: SyntaxReading
    private(set) var frames = [Frame()]
    /// Whether the file has errors: there may be code between the parts of any node.
    fileprivate(set) var isBroken = false
    var conditions = 0
    var catches = 0
    /// The indices of the calls whose closures may follow.
    var callIndices: [SyntaxIdentifier: Int] = [:]
    var seenNames: Set<SeenName> = []
    /// The starts of the lists of statements around.
    var blocks: [UInt32] = []

    init(_ facts: FileFacts, bytes: [UInt8], base: Int) {
        self.facts = facts
        self.bytes = bytes
        self.facts.byteCount = bytes.count
        reading = SyntaxReading(base: base, bytes: bytes)
        super.init(viewMode: .sourceAccurate)
    }

    var frame: Frame { frames[frames.count - 1] }
    var site: Site { frames[frames.count - 1].site }

    func push(_ frame: Frame) { frames.append(frame) }
    func pop() { frames.removeLast() }

    /// The place of the first node that has an error and no child with one.
    func firstError(in node: Syntax) -> FactSpan {
        var node = node
        while let child = node.children(viewMode: .all).first(where: \.hasError) { node = child }
        return reading.span(node)
    }

    // MARK: Conditions

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        conditions += 1
        return .visitChildren
    }

    override func visitPost(_ node: IfConfigClauseSyntax) { conditions -= 1 }

    // MARK: Declarations

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        let path = node.path.map { reading.name($0.name) }
        let place = reading.span(node)
        var fact = Import(
            module: path.first ?? "",
            path: path.joined(separator: "."),
            span: reading.span(node.path),
            whole: wholeLine(of: place)
        )
        fact.attributes = node.attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
        fact.access = node.modifiers.first.map { $0.name.text } ?? ""
        fact.isConditional = conditions > 0
        facts.imports.append(fact)
        return .skipChildren
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .struct, node.structKeyword, node.name, node.genericParameterClause, node.inheritanceClause)
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .class, node.classKeyword, node.name, node.genericParameterClause, node.inheritanceClause)
    }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .actor, node.actorKeyword, node.name, node.genericParameterClause, node.inheritanceClause)
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .enum, node.enumKeyword, node.name, node.genericParameterClause, node.inheritanceClause)
    }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .protocol, node.protocolKeyword, node.name, nil, node.inheritanceClause)
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        let target = reading.reference(node.extendedType)
        var fact = declaration(.extension, target.name, node.extendedType, node.extensionKeyword, node)
        fact.target = target
        fact.inherited = inherited(node.inheritanceClause)
        enter(fact, names: target.name.split(separator: ".").map(String.init))
        return .visitChildren
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        let target = reading.reference(node.initializer.value)
        let place = reading.span(node)
        var fact = Declaration(
            kind: .alias,
            name: reading.name(node.name),
            scope: frame.scope,
            span: reading.span(node.name),
            whole: place,
            keyword: reading.span(node.typealiasKeyword),
            body: place
        )
        fact.target = target
        fact.generics = generics(node.genericParameterClause)
        fact.modifiers = modifiers(node.modifiers)
        fact.isConditional = conditions > 0
        facts.declarations.append(fact)
        return .skipChildren
    }

    override func visit(_ node: AssociatedTypeDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let owner = site.declaration else { return .skipChildren }
        let bound = node.inheritanceClause?.inheritedTypes.first.map { reading.reference($0.type) }
        facts.declarations[owner].associatedTypes.append(GenericParameter(name: reading.name(node.name), bound: bound))
        return .skipChildren
    }

    override func visitPost(_ node: StructDeclSyntax) { pop() }
    override func visitPost(_ node: ClassDeclSyntax) { pop() }
    override func visitPost(_ node: ActorDeclSyntax) { pop() }
    override func visitPost(_ node: EnumDeclSyntax) { pop() }
    override func visitPost(_ node: ProtocolDeclSyntax) { pop() }
    override func visitPost(_ node: ExtensionDeclSyntax) { pop() }

    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let owner = site.declaration else { return .skipChildren }
        for element in node.elements {
            let payload = element.parameterClause?.parameters.map { reading.reference($0.type) } ?? []
            facts.declarations[owner].cases.append(
                EnumCase(
                    name: reading.name(element.name),
                    span: reading.span(element.name),
                    payload: payload,
                    isConditional: conditions > 0
                )
            )
        }
        return .skipChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.parent?.is(MemberBlockItemSyntax.self) == true, let owner = site.declaration {
            facts.declarations[owner].properties += properties(node)
        } else if site == Site() {
            facts.globals += properties(node)
        } else {
            noteLocals(node)
        }
        return .visitChildren
    }

    // MARK: Functions

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        var fact = function(.function, reading.name(node.name), node.name, node.modifiers, node.signature)
        fact.generics = generics(node.genericParameterClause, node.genericWhereClause)
        enter(&fact, node.body)
        return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        var fact = function(.initializer, "init", node.initKeyword, node.modifiers, node.signature)
        fact.generics = generics(node.genericParameterClause, node.genericWhereClause)
        enter(&fact, node.body)
        return .visitChildren
    }

    override func visit(_ node: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        var fact = function(.deinitializer, "deinit", node.deinitKeyword, node.modifiers, nil)
        enter(&fact, node.body)
        return .visitChildren
    }

    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
        let binding = node.parent?.as(PatternBindingSyntax.self)
        let name = binding.map { reading.text($0.pattern) } ?? "subscript"
        let modifiers = binding?.parent?.parent?.as(VariableDeclSyntax.self)?.modifiers
        var fact = Function(
            kind: .accessor,
            name: name,
            span: reading.span(binding.map { Syntax($0.pattern) } ?? Syntax(node))
        )
        fact.declaration = site.declaration
        fact.parent = site.function
        fact.modifiers = modifiers.map { self.modifiers($0) } ?? []
        fact.isStatic = fact.modifiers.contains("static")
        fact.body = reading.span(node)
        enter(&fact, nil)
        return .visitChildren
    }

    override func visitPost(_ node: FunctionDeclSyntax) { pop() }
    override func visitPost(_ node: InitializerDeclSyntax) { pop() }
    override func visitPost(_ node: DeinitializerDeclSyntax) { pop() }
    override func visitPost(_ node: AccessorBlockSyntax) { pop() }

    // MARK: Leaves

    // Below these nodes are only tokens, which no fact needs.

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: NilLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: StringSegmentSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        node.genericArgumentClause == nil ? .skipChildren : .visitChildren
    }

    // MARK: Bodies

    override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
        blocks.append(reading.span(node).start)
        return .visitChildren
    }

    override func visitPost(_ node: CodeBlockItemListSyntax) { blocks.removeLast() }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        note(call: node)
        if isBroken { return .visitChildren }
        // What is left out are tokens, and the lists around the arguments.
        walk(node.calledExpression)
        for argument in node.arguments { walk(argument.expression) }
        if let closure = node.trailingClosure { walk(closure) }
        let others = node.additionalTrailingClosures
        if !others.isEmpty { walk(others) }
        return .skipChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        enter(closure: node)
        return .visitChildren
    }

    override func visitPost(_ node: ClosureExprSyntax) { pop() }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        note(name: node)
        return .skipChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        note(member: node)
        if isBroken { return .visitChildren }
        // The name behind the dot is no name of its own.
        if let base = node.base { walk(base) }
        return .skipChildren
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        note(sequence: node)
        return .visitChildren
    }

    override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind {
        note(try: node)
        return .visitChildren
    }

    override func visit(_ node: AwaitExprSyntax) -> SyntaxVisitorContinueKind {
        facts.awaits.append(NameUse(name: "", span: reading.span(node.awaitKeyword), site: site))
        return .visitChildren
    }

    override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind {
        note(catch: node)
        catches += 1
        return .visitChildren
    }

    override func visitPost(_ node: CatchClauseSyntax) { catches -= 1 }

    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        if let pattern = node.pattern.as(IdentifierPatternSyntax.self) {
            noteLocal(pattern.identifier, node.typeAnnotation?.type, node.initializer?.value)
        }
        return .visitChildren
    }

    override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
        if let pattern = node.pattern.as(IdentifierPatternSyntax.self) { noteLocal(pattern.identifier, nil, nil) }
        if let keyword = node.awaitKeyword {
            facts.awaits.append(NameUse(name: "", span: reading.span(keyword), site: site))
        }
        return .visitChildren
    }
}
#endif
