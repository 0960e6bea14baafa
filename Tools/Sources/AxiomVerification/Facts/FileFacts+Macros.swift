// SPDX-License-Identifier: Apache-2.0

extension FileFacts {
    /// Adds the members that the macros of `AxiomMacros` write, as far as rules judge them: rules then find the same in a
    /// component with macros as in one by hand. Their places are those of the attributes, and of the types in the source.
    mutating func addMembersOfMacros() {
        for index in declarations.indices {
            guard let macro = declarations[index].attributes.lazy.compactMap(ComponentMacro.init).first else {
                continue
            }
            addProperties(of: macro, to: index)
            addInitializer(of: macro, to: index)
        }
    }

    /// What is written by hand stays.
    private mutating func addProperties(of macro: ComponentMacro, to index: Int) {
        let own = Set(declarations[index].properties.map(\.name))
        declarations[index].properties += properties(of: macro).filter { !own.contains($0.name) }
    }

    private func properties(of macro: ComponentMacro) -> [Property] {
        func property(_ name: String, _ type: String? = nil, _ argument: TypeReference? = nil) -> Property {
            let reference = type.map { TypeReference.axiom($0, [argument].compactMap(\.self), at: macro.span) }
            return Property(writtenByMacro: name, reference, at: macro.span)
        }
        switch macro.kind {
        case .state: return []
        case .action:
            var names = property("caseNames")
            names.isStatic = true
            var index = property("caseIndex")
            index.isComputed = true
            return [names, index]
        case .capability, .client, .context:
            let identity = property("identity", "ComponentIdentity")
            guard let state = macro.state else { return [identity] }
            var current = Property(writtenByMacro: "state", state, at: macro.span)
            current.isComputed = true
            var stream = property("stateStream", "StateStream", state)
            stream.isComputed = true
            return [identity, property("store", "StateStore", state), current, stream]
        }
    }

    /// The initializer, with what it resolves for the marked properties. Nothing beside one that is written by hand.
    private mutating func addInitializer(of macro: ComponentMacro, to index: Int) {
        let isWritten = functions.contains { $0.kind == .initializer && $0.declaration == index }
        guard let scope = macro.scope, !isWritten else { return }
        var fact = Function(kind: .initializer, name: "init", span: macro.span)
        fact.isThrowing = true
        fact.declaration = index
        let type = TypeReference.axiom(scope, at: macro.span)
        fact.parameters = [.init(label: "_", name: "scope", span: macro.span, type: type)]
        let site = Site(declaration: index, function: functions.count)
        functions.append(fact)
        for (method, type) in declarations[index].properties.compactMap(\.resolvedByMacro) {
            var call = Call(callee: "scope.\(method)", span: type.span, whole: type.span, site: site)
            call.labels = [""]
            call.arguments = [""]
            call.types = [.init(label: "", type: type)]
            calls.append(call)
        }
    }
}

extension Property {
    /// A stored constant at the place of an attribute.
    fileprivate init(writtenByMacro name: String, _ type: TypeReference?, at span: FactSpan) {
        self.init(
            name: name,
            span: span,
            whole: span,
            keyword: span,
            isVariable: false,
            isStatic: false,
            isComputed: false
        )
        self.type = type
    }
}

extension TypeReference {
    /// A type of the module `Axiom`, whatever else has its name.
    fileprivate static func axiom(_ name: String, _ arguments: [TypeReference] = [], at span: FactSpan) -> Self {
        TypeReference(.named, "Axiom." + name, arguments, at: span)
    }
}
