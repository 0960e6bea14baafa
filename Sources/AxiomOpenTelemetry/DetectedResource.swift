// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomPush
internal import Foundation

/// What a process knows of itself, by the names of OpenTelemetry's semantic conventions for resources.
enum DetectedResource {
    /// The name of the executable file.
    static let program: String = {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // Linux appends this if the file was replaced.
        let deleted = " (deleted)"
        let path = link.map { $0.hasSuffix(deleted) ? String($0.dropLast(deleted.count)) : $0 }
        return path.map { URL(filePath: $0).lastPathComponent } ?? ProcessInfo.processInfo.processName
    }()

    static let processID = (name: "process.pid", value: Int64(ProcessInfo.processInfo.processIdentifier))

    static var attributes: [String: String] {
        var attributes = [
            "service.name": "unknown_service:\(program)", "service.instance.id": Resource.instance,
            "host.name": ProcessInfo.processInfo.hostName, "process.executable.name": program,
            "telemetry.sdk.name": "axiom", "telemetry.sdk.language": "swift",
            "telemetry.sdk.version": Axiom.version.description,
        ]
        #if os(Linux)
        attributes["os.type"] = "linux"
        #elseif canImport(Darwin)
        attributes["os.type"] = "darwin"
        #endif
        return attributes
    }
}

extension OpenTelemetryEnvironment {
    /// The resource of all signals. Attributes of the application replace those of the environment, which replace what was
    /// detected.
    ///
    /// - Throws: `PushError` if an attribute has no name, or the service has none.
    func resource(service: String?, attributes own: [String: String]) throws(PushError) -> Resource {
        var texts = DetectedResource.attributes.merging(attributes) { $1 }.merging(own) { $1 }
        if let service { texts["service.name"] = service }
        guard texts["service.name"] != "", texts[""] == nil else {
            throw PushError(
                .invalidConfiguration,
                "The resource of OTLP cannot be used: the service or an attribute has an empty name; name it, or leave it out."
            )
        }
        let process = DetectedResource.processID
        return Resource(
            texts.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) },
            integers: texts[process.name] == nil ? [process] : []
        )
    }
}
