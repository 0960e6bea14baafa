// SPDX-License-Identifier: Apache-2.0

private let nowhere = FactSpan(0, 0)

extension Call: Packable {
    static var blank: Call { Call(callee: "", span: nowhere, whole: nowhere, site: Site()) }

    mutating func pack(_ packing: inout Packing) {
        packing(&callee)
        packing(&span)
        packing(&whole)
        packing(&site)
        packing(&labels)
        packing(&types)
        packing(&arguments)
        packing(&texts)
        packing(&block)
        packing(&made)
        packing(&receiver)
        packing(&isDropped)
        packing(&returnsLent)
    }
}

extension Call.TypeArgument: Packable {
    static var blank: Call.TypeArgument { .init(label: "", type: .blank) }

    mutating func pack(_ packing: inout Packing) {
        packing(&label)
        packing(&type)
    }
}

extension Call.TextArgument: Packable {
    static var blank: Call.TextArgument { .init(label: "", text: "", span: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&label)
        packing(&text)
        packing(&span)
    }
}

extension Closure: Packable {
    static var blank: Closure { Closure(span: nowhere, site: Site()) }

    mutating func pack(_ packing: inout Packing) {
        packing(&span)
        packing(&call)
        packing(&site)
        packing(&parameters)
        packing(&captures)
        packing(&selfUses)
        packing(&assigned)
        packing(&usesShorthand)
        packing(&hasSignature)
        packing(&handedOut)
    }
}

extension Closure.ClosureParameter: Packable {
    static var blank: Closure.ClosureParameter { .init(name: "", span: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&name)
        packing(&span)
        packing(&type)
    }
}

extension OptionalTry: Packable {
    static var blank: OptionalTry {
        OptionalTry(span: nowhere, site: Site(), isForced: false, callee: "", isInCatch: false)
    }

    mutating func pack(_ packing: inout Packing) {
        packing(&span)
        packing(&site)
        packing(&isForced)
        packing(&callee)
        packing(&isInCatch)
        packing(&mayThrow)
    }
}

extension CatchClause: Packable {
    static var blank: CatchClause {
        CatchClause(span: nowhere, site: Site(), isEmpty: false, onlyPrints: false, pattern: "")
    }

    mutating func pack(_ packing: inout Packing) {
        packing(&span)
        packing(&site)
        packing(&isEmpty)
        packing(&onlyPrints)
        packing(&pattern)
    }
}

extension Assignment: Packable {
    static var blank: Assignment { Assignment(target: "", value: .blank, site: Site()) }

    mutating func pack(_ packing: inout Packing) {
        packing(&target)
        packing(&value)
        packing(&site)
    }
}

extension LocalVariable: Packable {
    static var blank: LocalVariable { LocalVariable(name: "", span: nowhere, site: Site()) }

    mutating func pack(_ packing: inout Packing) {
        packing(&name)
        packing(&span)
        packing(&site)
        packing(&type)
        packing(&value)
        packing(&root)
    }
}

extension NameUse: Packable {
    static var blank: NameUse { NameUse(name: "", span: nowhere, site: Site()) }

    mutating func pack(_ packing: inout Packing) {
        packing(&name)
        packing(&span)
        packing(&site)
    }
}

extension StaticUse: Packable {
    static var blank: StaticUse { StaticUse(type: .blank, member: "", span: nowhere, site: Site()) }

    mutating func pack(_ packing: inout Packing) {
        packing(&type)
        packing(&member)
        packing(&span)
        packing(&site)
    }
}
