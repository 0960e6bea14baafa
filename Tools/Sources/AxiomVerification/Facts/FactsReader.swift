// SPDX-License-Identifier: Apache-2.0

internal import SwiftParser
@_spi(RawSyntax) internal import SwiftSyntax

extension FileFacts {
    /// Reads the facts of a file in one walk of its tree.
    ///
    /// - Parameter hasLargeStack: Whether the caller is work of ``TreeDepth/onLargeStack(_:)``.
    package static func read(path: String, module: String, bytes: [UInt8], hasLargeStack: Bool = false) -> FileFacts {
        guard !TreeDepth.isTooDeepToParse(bytes) else { return tooDeep(path: path, module: module, bytes: bytes) }
        if hasLargeStack { return parsed(path: path, module: module, bytes: bytes) }
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
        return withExtendedLifetime(tree) {
            let root = SourceNode(raw: tree.raw, start: mark)
            guard bytes.count <= TreeDepth.limit || !TreeDepth.isTooDeep(root) else {
                return tooDeep(path: path, module: module, bytes: bytes)
            }
            let reading = SyntaxReading(base: mark, bytes: bytes, isBroken: tree.hasError)
            var reader = FactsReader(FileFacts(path: path, module: module), reading)
            reader.visit(root)
            reader.readLines()
            reader.readSuppressions(tree)
            if tree.hasError { reader.facts.syntaxError = reader.firstError(in: Syntax(tree)) }
            return reader.facts
        }
    }
}

/// Walks a tree once and notes facts. Its extensions read declarations, bodies and comments.
struct FactsReader {
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
    let reading: SyntaxReading
    var bytes: [UInt8] { reading.bytes }
    private(set) var frames = [Frame()]
    /// The nodes around the one under the walk, from the outside in.
    private(set) var ancestors: [SourceNode] = []
    var conditions = 0
    var catches = 0
    /// The indices of the calls whose closures may follow.
    var callIndices: [RawSyntax.ID: Int] = [:]
    var seenNames: Set<SeenName> = []
    /// The starts of the lists of statements around.
    var blocks: [UInt32] = []

    init(_ facts: FileFacts, _ reading: SyntaxReading) {
        self.facts = facts
        self.facts.byteCount = reading.bytes.count
        self.reading = reading
    }

    var frame: Frame { frames[frames.count - 1] }
    var site: Site { frames[frames.count - 1].site }

    mutating func push(_ frame: Frame) { frames.append(frame) }

    /// The node around the one under the walk; 1 for the node around that, and so on.
    func ancestor(_ level: Int = 0) -> SourceNode? {
        level < ancestors.count ? ancestors[ancestors.count - 1 - level] : nil
    }

    /// The place of the first node that has an error and no child with one.
    fileprivate func firstError(in node: Syntax) -> FactSpan {
        var node = node
        while let child = node.children(viewMode: .all).first(where: \.hasError) { node = child }
        return reading.span(SourceNode(raw: node.raw, start: reading.base + node.position.utf8Offset))
    }

    // MARK: The walk

    mutating func visit(_ node: SourceNode) {
        switch node.kind {
        // Below these nodes are only tokens, which no fact needs.
        case .token, .identifierPattern, .integerLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr, .stringSegment,
            .declModifier:
            break
        case .identifierType: if node.part(.genericArgumentClause) != nil { walk(node) }
        case .importDecl: note(import: node)
        case .structDecl: walk(node, entering: .struct)
        case .classDecl: walk(node, entering: .class)
        case .actorDecl: walk(node, entering: .actor)
        case .enumDecl: walk(node, entering: .enum)
        case .protocolDecl: walk(node, entering: .protocol)
        case .extensionDecl: walk(node, entering: .extension)
        case .typeAliasDecl: note(alias: node)
        case .associatedTypeDecl: note(associatedType: node)
        case .enumCaseDecl: note(enumCases: node)
        case .functionDecl: walk(node, entering: .function)
        case .initializerDecl: walk(node, entering: .initializer, name: "init")
        case .deinitializerDecl: walk(node, entering: .deinitializer, name: "deinit")
        case .accessorBlock:
            enter(accessors: node)
            walk(node)
            frames.removeLast()
        case .declReferenceExpr: note(name: node)
        case .memberAccessExpr:
            note(member: node)
            // The name behind the dot is no name of its own.
            if reading.isBroken { walk(node) } else { walk(node, only: .memberBase) }
        default: visit(bodyPart: node)
        }
    }

    /// Visits what stands in bodies, besides names.
    private mutating func visit(bodyPart node: SourceNode) {
        switch node.kind {
        case .variableDecl: note(variables: node)
        case .functionCallExpr: note(call: node)
        case .sequenceExpr:
            note(sequence: node)
            note(operators: node)
        case .inOutExpr: note(inOut: node)
        case .tryExpr: note(try: node)
        case .awaitExpr: note(awaitKeyword: node[.awaitKeyword])
        case .optionalBindingCondition: note(optionalBinding: node)
        case .forStmt: note(loop: node)
        case .catchClause:
            note(catch: node)
            catches += 1
            walk(node)
            catches -= 1
            return
        case .ifConfigClause:
            conditions += 1
            walk(node)
            conditions -= 1
            return
        case .codeBlockItemList:
            blocks.append(reading.span(node).start)
            walk(node)
            blocks.removeLast()
            return
        case .closureExpr:
            enter(closure: node)
            noteHandedOut(by: node)
            walk(node)
            frames.removeLast()
            return
        default: break
        }
        walk(node)
    }

    private mutating func walk(_ node: SourceNode) {
        ancestors.append(node)
        for child in node.children where child.kind != .token { visit(child) }
        ancestors.removeLast()
    }

    private mutating func walk(_ node: SourceNode, only part: NodePart) {
        guard let child = node[part] else { return }
        ancestors.append(node)
        visit(child)
        ancestors.removeLast()
    }

    private mutating func walk(_ node: SourceNode, entering kind: Declaration.Kind) {
        enter(type: node, kind)
        walk(node)
        frames.removeLast()
    }

    private mutating func walk(_ node: SourceNode, entering kind: Function.Kind, name: String? = nil) {
        enter(function: node, kind, name: name)
        walk(node)
        frames.removeLast()
    }
}
