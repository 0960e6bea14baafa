// SPDX-License-Identifier: Apache-2.0

extension ConcurrencyRules {
    /// Whether a call in a body of the type with an index blocks its thread.
    static func blocks(_ call: Call, _ index: Int, _ file: Int, _ project: ProjectFacts) -> Bool {
        if let sleeps = sleeps(call, index, file, project) { return sleeps }
        if let made = call.made, ["Data", "String", "NSData", "NSString"].contains(made.name) {
            return call.labels.contains { ["contentsOf", "contentsOfFile"].contains($0) }
                && project.isOfSystem(made.name, file, call.site)
        }
        if call.base == "FileManager.default" { return project.isOfSystem("FileManager", file, call.site) }
        guard ["wait", "sync", "waitUntilExit"].contains(call.name),
            let kind = call.receiver?.name
                ?? variableType(call.base, project.types[index], call.site, file, project)
        else { return false }
        return ["DispatchSemaphore", "DispatchGroup", "DispatchQueue", "NSCondition", "Process"].contains(kind)
            && project.isOfSystem(kind, file, call.site)
    }

    /// Whether a call is one of a function of the system that sleeps; nil if it has another name.
    private static func sleeps(_ call: Call, _ index: Int, _ file: Int, _ project: ProjectFacts) -> Bool? {
        let isQualified = ["Foundation", "Dispatch", "Glibc", "Darwin"].contains { call.callee.hasPrefix($0 + ".") }
        let callee = isQualified ? String(call.callee.drop { $0 != "." }.dropFirst()) : call.callee
        guard ["sleep", "usleep", "nanosleep", "Thread.sleep"].contains(callee) else { return nil }
        if isQualified { return true }
        return callee == "Thread.sleep"
            ? project.isOfSystem("Thread", file, call.site)
            : !project.declaresFunction(callee, for: index, file, call.site)
    }

    /// The name of the type of a variable or property.
    private static func variableType(
        _ name: String,
        _ type: ProjectType,
        _ site: Site,
        _ file: Int,
        _ project: ProjectFacts
    ) -> String? {
        if name.hasPrefix("DispatchQueue.") { return "DispatchQueue" }
        let locals = project.files[file].locals.filter { $0.name == name && $0.site.function == site.function }
        if let local = locals.first { return (local.type ?? local.value?.made)?.name }
        let property = project.property(name, of: type)?.property
        return (property?.type ?? property?.initial?.made)?.name
    }
}

extension ProjectFacts {
    /// Whether code runs in a detached task or on a queue.
    func runsElsewhere(_ site: Site, _ file: Int) -> Bool {
        callsAround(site, in: file).contains {
            $0.callee == "Task.detached" || $0.name == "async" || $0.name == "concurrentPerform"
        }
    }
}
