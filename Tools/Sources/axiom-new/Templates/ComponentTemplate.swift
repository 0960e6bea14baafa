// SPDX-License-Identifier: Apache-2.0

/// What `axiom-new` writes for a component.
protocol ComponentTemplate {
    /// The name of the component, for messages.
    var name: String { get }
    /// The products of Axiom that its files import.
    var products: [String] { get }
    /// The statement that registers it; nil if it is not registered.
    var registration: String? { get }
    /// What is left to do before its test passes; nil if nothing is.
    var note: String? { get }
    /// The text of its file.
    var source: String { get }
    /// The text of its test.
    ///
    /// - Parameter module: The module under test.
    func test(of module: String) -> String
}

extension ComponentTemplate {
    var products: [String] { ["Axiom"] }
    var note: String? { nil }

    /// The files in the places of a package.
    func files(_ layout: PackageLayout) -> [NewFile] {
        files(target: layout.target, sources: layout.sourcePath, tests: layout.tests?.path)
    }

    /// - Parameters:
    ///   - target: The target of the component.
    ///   - sources: The folder of its sources.
    ///   - tests: The folder of its tests; nil for no test.
    func files(target: String, sources: String, tests: String?) -> [NewFile] {
        let component = NewFile(path: "\(sources)/\(name).swift", text: source)
        guard let tests else { return [component] }
        return [component, NewFile(path: "\(tests)/\(name)Tests.swift", text: test(of: target))]
    }
}
