// SPDX-License-Identifier: Apache-2.0

@_spi(RawSyntax) internal import SwiftSyntax

/// A node of a parsed file, and where it begins.
///
/// The tree that the parser makes, without the second tree over it that `SyntaxProtocol` shows: to ask for a child
/// allocates nothing. A node is valid as long as its file's tree.
struct SourceNode {
    let raw: RawSyntax
    /// The offset of the first byte in the file. The blanks and comments before a node belong to it.
    let start: Int

    var kind: SyntaxKind { raw.kind }
    var end: Int { start + raw.byteLength }

    /// A part of the node; nil if the source leaves it out.
    subscript(part: NodePart) -> SourceNode? {
        var (children, index) = (children, 0)
        while let child = children.nextPlace() {
            if index == part.index { return child.map { SourceNode(raw: $0, start: children.start) } }
            children.start += child?.byteLength ?? 0
            index += 1
        }
        return nil
    }

    /// The part of a kind; nil if there is none. For kinds that stand once in a node, as most parts of declarations.
    func part(_ kind: SyntaxKind) -> SourceNode? { children.first { $0.kind == kind } }

    /// The nodes in the part of a kind.
    func list(_ kind: SyntaxKind) -> Children { part(kind)?.children ?? Children(nil) }

    /// The part that is a type, in a node with one type.
    var typePart: SourceNode? { children.first(where: \.isType) }

    /// One of the tokens in the node itself.
    func token(_ index: Int) -> SourceNode? {
        var left = index
        for child in children where child.kind == .token {
            if left == 0 { return child }
            left -= 1
        }
        return nil
    }

    /// The nodes in the node, or in the list that is a part of it.
    var children: Children { Children(self) }

    func list(_ part: NodePart) -> Children { self[part]?.children ?? Children(nil) }

    /// Whether two nodes of one tree are the same.
    static func == (left: SourceNode, right: SourceNode) -> Bool { left.raw.id == right.raw.id }

    /// The node as a tree of its own, which begins at 0. Costs allocations.
    var detached: Syntax { Syntax(raw: raw, rawNodeArena: raw.arena) }
}

extension SourceNode {
    /// The nodes in a node, in order of their places.
    struct Children: Sequence, IteratorProtocol {
        private var places: UnsafeBufferPointer<RawSyntax?>.Iterator
        /// Where the next child begins.
        fileprivate(set) var start: Int

        fileprivate init(_ node: SourceNode?) {
            let empty = UnsafeBufferPointer<RawSyntax?>(start: nil, count: 0)
            places = node?.raw.layoutView?.children.makeIterator() ?? empty.makeIterator()
            start = node?.start ?? 0
            count = node?.raw.layoutView?.children.count ?? 0
        }

        mutating func next() -> SourceNode? {
            while let place = places.next() {
                guard let raw = place else { continue }
                let node = SourceNode(raw: raw, start: start)
                start += raw.byteLength
                return node
            }
            return nil
        }

        /// How many children a list has.
        fileprivate(set) var count: Int

        /// The next child, or an outer nil behind the last; an inner nil is a part that is left out.
        fileprivate mutating func nextPlace() -> RawSyntax?? { places.next() }

        var first: SourceNode? {
            var copy = self
            return copy.next()
        }

        var isEmpty: Bool { first == nil }

        /// The child if it is the only one.
        var only: SourceNode? {
            var copy = self
            guard let first = copy.next(), copy.next() == nil else { return nil }
            return first
        }

        var last: SourceNode? { reduce(nil) { $1 } }
    }
}

/// The number of a part among the children of its node.
struct NodePart {
    let index: Int

    /// Finds the number by the name, because numbers change between versions of swift-syntax.
    init<Node: SyntaxProtocol>(_ path: PartialKeyPath<Node>) {
        guard case .layout(let parts) = Node.structure,
            let index = parts.firstIndex(where: { ($0 as AnyKeyPath) == path })
        else {
            preconditionFailure("\(Node.self) has no part \(path).")
        }
        self.index = index
    }
}
