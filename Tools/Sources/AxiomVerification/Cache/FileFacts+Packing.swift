// SPDX-License-Identifier: Apache-2.0

// The members of facts, in the order in which a cache keeps them. Whoever adds a member adds it here, and changes
// FileFacts.formatVersion; a test compares facts with what was read.

private let nowhere = FactSpan(0, 0)

extension FileFacts: Packable {
    static var blank: FileFacts { FileFacts(path: "", module: "") }

    mutating func pack(_ packing: inout Packing) {
        packing(&path)
        packing(&module)
        packing.ascending(&lineStarts)
        packing(&byteCount)
        packing(&imports)
        packing(&declarations)
        packing(&functions)
        packing(&globals)
        packing(&calls)
        packing(&closures)
        packing(&tries)
        packing(&catches)
        packing(&assignments)
        packing(&locals)
        packing(&names)
        packing(&statics)
        packing(&awaits)
        packing(&changes)
        packing(&identities)
        packing(&suppressions)
        packing(&syntaxError)
        packing(&isTooDeep)
    }
}

extension Site: Packable {
    static var blank: Site { Site() }

    mutating func pack(_ packing: inout Packing) {
        packing(&declaration)
        packing(&function)
        packing(&closure)
    }
}

extension TypeReference: Packable {
    static var blank: TypeReference { TypeReference(.other, at: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&form)
        packing(&name)
        packing(&arguments)
        packing(&attributes)
        packing(&span)
    }
}

extension Import: Packable {
    static var blank: Import { Import(module: "", path: "", span: nowhere, whole: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&module)
        packing(&path)
        packing(&span)
        packing(&whole)
        packing(&attributes)
        packing(&access)
        packing(&isConditional)
    }
}

extension Suppression: Packable {
    static var blank: Suppression { Suppression(rule: "", reason: "", span: nowhere, removal: nowhere, line: 0) }

    mutating func pack(_ packing: inout Packing) {
        packing(&rule)
        packing(&reason)
        packing(&span)
        packing(&removal)
        packing(&line)
    }
}

// MARK: - Declarations

extension Declaration: Packable {
    static var blank: Declaration {
        Declaration(kind: .struct, name: "", scope: [], span: nowhere, whole: nowhere, keyword: nowhere, body: nowhere)
    }

    mutating func pack(_ packing: inout Packing) {
        packing(&kind)
        packing(&name)
        packing(&scope)
        packing(&span)
        packing(&whole)
        packing(&keyword)
        packing(&body)
        packing(&attributes)
        packing(&modifiers)
        packing(&final)
        packing(&inherited)
        packing(&generics)
        packing(&target)
        packing(&properties)
        packing(&cases)
        packing(&associatedTypes)
        packing(&isConditional)
    }
}

extension AttributeFact: Packable {
    static var blank: AttributeFact { AttributeFact(name: "", span: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&name)
        packing(&span)
        packing(&argumentCount)
        packing(&types)
    }
}

extension GenericParameter: Packable {
    static var blank: GenericParameter { GenericParameter(name: "") }

    mutating func pack(_ packing: inout Packing) {
        packing(&name)
        packing(&bound)
    }
}

extension Property: Packable {
    static var blank: Property {
        Property(
            name: "",
            span: nowhere,
            whole: nowhere,
            keyword: nowhere,
            isVariable: false,
            isStatic: false,
            isComputed: false
        )
    }

    mutating func pack(_ packing: inout Packing) {
        packing(&name)
        packing(&span)
        packing(&whole)
        packing(&keyword)
        packing(&isVariable)
        packing(&isStatic)
        packing(&isComputed)
        packing(&modifiers)
        packing(&attributes)
        packing(&type)
        packing(&initial)
        packing(&text)
        packing(&branches)
        packing(&accessors)
    }
}

extension Value: Packable {
    static var blank: Value { Value(span: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&span)
        packing(&path)
        packing(&made)
        packing(&strings)
    }
}

extension SwitchBranch: Packable {
    static var blank: SwitchBranch { SwitchBranch(names: [], value: nil, text: nil, valueSpan: nil, span: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&names)
        packing(&value)
        packing(&text)
        packing(&valueSpan)
        packing(&span)
    }
}

extension EnumCase: Packable {
    static var blank: EnumCase { EnumCase(name: "", span: nowhere, payload: []) }

    mutating func pack(_ packing: inout Packing) {
        packing(&name)
        packing(&span)
        packing(&payload)
        packing(&isConditional)
    }
}

extension Function: Packable {
    static var blank: Function { Function(kind: .function, name: "", span: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&kind)
        packing(&name)
        packing(&span)
        packing(&declaration)
        packing(&parent)
        packing(&isStatic)
        packing(&isAsync)
        packing(&isThrowing)
        packing(&isOnMainActor)
        packing(&modifiers)
        packing(&parameters)
        packing(&generics)
        packing(&result)
        packing(&body)
        packing(&comparedMembers)
        packing(&singleExpression)
        packing(&isConjunct)
    }
}

extension Function.Parameter: Packable {
    static var blank: Function.Parameter { .init(label: "", name: "", span: nowhere) }

    mutating func pack(_ packing: inout Packing) {
        packing(&label)
        packing(&name)
        packing(&span)
        packing(&type)
    }
}
