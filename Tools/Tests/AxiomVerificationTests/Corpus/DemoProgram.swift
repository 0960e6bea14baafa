// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation

/// A set of Swift files with their facts. A changed copy reads the changed files alone.
struct Program: Sendable {
    private(set) var texts: [String: String] = [:]
    private(set) var facts: [String: FileFacts] = [:]
    /// The types of a program that was read from a folder.
    private(set) var types: [DemoType] = []
    private static let modules = ModuleMap()

    /// The sources of the demo, and a file with shapes that it does not have.
    static let demo = Program(readingFolder: "Sources/axiom-demo", adding: [RarerShapes.path: RarerShapes.text])

    init(_ texts: [String: String]) {
        set(texts)
    }

    /// Reads the Swift files below a folder of the repository.
    init(readingFolder folder: String, adding others: [String: String] = [:]) {
        set(Self.files(below: folder))
        set(others)
        types = readTypes()
    }

    static func files(below folder: String) -> [String: String] {
        let names = FileManager.default.enumerator(atPath: Repository.root.appending(path: folder).path)
        var texts: [String: String] = [:]
        for case let name as String in names ?? FileManager.DirectoryEnumerator() where name.hasSuffix(".swift") {
            let path = "\(folder)/\(name)"
            texts[path] = try? String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        return texts
    }

    /// The program with other texts of some files; nil removes a file.
    func replacing(_ changes: [String: String?]) -> Program {
        var program = self
        for (path, text) in changes where text == nil {
            program.texts[path] = nil
            program.facts[path] = nil
        }
        program.set(changes.compactMapValues(\.self))
        return program
    }

    private mutating func set(_ changes: [String: String]) {
        for (path, text) in changes {
            texts[path] = text
            facts[path] = FileFacts.read(path: path, module: Self.modules.module(of: path), bytes: Array(text.utf8))
        }
    }

    /// The paths in order.
    var paths: [String] { texts.keys.sorted() }

    var project: ProjectFacts { ProjectFacts(files: Array(facts.values)) }

    func judge(_ configuration: VerifierConfiguration = VerifierConfiguration()) -> ProjectVerdict {
        Verifier(configuration).judge(Array(facts.values))
    }

    /// A part of a file.
    func text(_ span: FactSpan, in path: String) -> String {
        String(decoding: Array((texts[path] ?? "").utf8)[span.offsets], as: UTF8.self)
    }
}

/// A type of the demo with what the mutators need of it.
struct DemoType: Sendable {
    let name: String
    let path: String
    let roles: Roles
    let kind: Declaration.Kind
    let declaration: Declaration
    /// The functions and initializers of its declaration.
    let functions: [Function]

    /// The name without its role: `Cart` of `CartClient`.
    var stem: String {
        for suffix in ["Client", "Context", "Handler", "View", "State", "Action", "Intent"] where name.hasSuffix(suffix)
        {
            return String(name.dropLast(suffix.count))
        }
        return name
    }
}

extension Program {
    /// The types of the program, in order of files and places.
    private func readTypes() -> [DemoType] {
        let project = project
        return project.types.enumerated().filter { ![.alias, .protocol].contains($0.element.kind) }.map { index, type in
            DemoType(
                name: project.displayName(of: type),
                path: project.files[type.file].path,
                roles: project.roles(of: index),
                kind: type.kind,
                declaration: project.declaration(of: type),
                functions: project.functions(type.places[0]).map { project.files[type.file].functions[$0] }
            )
        }
    }
}
