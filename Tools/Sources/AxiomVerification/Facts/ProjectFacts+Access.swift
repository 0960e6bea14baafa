// SPDX-License-Identifier: Apache-2.0

/// Whether the access level of a declaration lets a file see it.
extension ProjectFacts {
    /// Whether a file sees a type of the project: it sees the module, and the type is not hidden from it.
    func isVisible(_ type: ProjectType, from file: Int) -> Bool {
        let declaration = declaration(of: type)
        if declaration.isLocal, type.file != file { return false }
        // What stands around a declaration comes before it.
        let owner = files[type.file].declarations[..<type.declaration].lastIndex {
            $0.body.contains(declaration.span)
        }
        return isVisible(declaration.modifiers, ofMemberIn: owner, type.file, from: file)
    }

    /// Whether a file sees a declaration of a file, which may be itself.
    ///
    /// - Parameter owner: The declaration directly around; nil for none.
    func isVisible(_ modifiers: [String], ofMemberIn owner: Int?, _ declaring: Int, from file: Int) -> Bool {
        if declaring == file { return true }
        let module = files[declaring].module
        guard sees(module, file) else { return false }
        switch access(modifiers, owner, declaring) {
        case "private", "fileprivate": return false
        case "public", "open", "package": return true
        default: return module == files[file].module || isTestable(module, file)
        }
    }

    /// The access level that is written for a declaration, or for the extension or protocol directly around it.
    private func access(_ modifiers: [String], _ owner: Int?, _ file: Int) -> String? {
        let levels: Set = ["private", "fileprivate", "internal", "package", "public", "open"]
        if let own = modifiers.first(where: levels.contains) { return own }
        guard let owner else { return nil }
        let around = files[file].declarations[owner]
        return [.extension, .protocol].contains(around.kind) ? around.modifiers.first(where: levels.contains) : nil
    }

    private func isTestable(_ module: String, _ file: Int) -> Bool {
        files[file].imports.contains { $0.module == module && $0.attributes.contains("testable") }
    }
}
