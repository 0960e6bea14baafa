// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Fingerprint {
    /// This machine's, from `/proc`, `/sys` and `/etc`. What a system does not tell is `unknown`, or nil. Cost: about
    /// ten small files, below 1 ms.
    package static func current() -> Fingerprint {
        current(MachineFacts.live)
    }

    package static func current(_ facts: MachineFacts) -> Fingerprint {
        let processor = ProcessorInfo(facts.file("/proc/cpuinfo") ?? "")
        var fingerprint = Fingerprint()
        fingerprint.mustMatch = machineClass(facts, processor)
        fingerprint.recordOnly = notes(facts, processor)
        return fingerprint
    }

    private static func machineClass(_ facts: MachineFacts, _ processor: ProcessorInfo) -> MachineClass {
        var machine = MachineClass()
        machine.architecture = facts.architecture
        machine.processor = processor.model ?? "unknown"
        machine.featuresHash = processor.features.isEmpty ? "unknown" : hash(processor.features.joined(separator: " "))
        machine.logicalProcessors = facts.logicalProcessors
        machine.memoryClass = memoryClass(facts.file("/proc/meminfo") ?? "")
        machine.virtualization = virtualization(facts, processor)
        machine.system = system(facts.file("/etc/os-release") ?? "")
        machine.libc = facts.libc
        machine.allocator = facts.environment["LD_PRELOAD"].map { "preload \($0)" } ?? "system"
        machine.isContainer = isContainer(facts)
        return machine
    }

    private static func notes(_ facts: MachineFacts, _ processor: ProcessorInfo) -> MachineNotes {
        var notes = MachineNotes()
        notes.hostHash = facts.hostName.map(hash)
        notes.kernel = facts.line("/proc/sys/kernel/osrelease")
        notes.microcode = processor.microcode
        notes.governor = facts.line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
        notes.megahertz = processor.megahertz
        notes.hasSMT = facts.line("/sys/devices/system/cpu/smt/active").map { $0 == "1" }
        notes.ci = continuousIntegration(facts.environment)
        notes.load1 = facts.line("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
        notes.stealPercent = stealPercent(facts.line("/proc/stat") ?? "")
        return notes
    }

    private static func hash(_ text: String) -> String {
        String(SHA256Digest.hex(text).prefix(16))
    }

    /// The kernel keeps some memory for itself, hence the nearest power of two.
    private static func memoryClass(_ meminfo: String) -> Int {
        let total = meminfo.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        let words = total?.split(whereSeparator: \.isWhitespace) ?? []
        guard words.count > 1, let kibibytes = Double(words[1]), kibibytes > 0 else { return 0 }
        return 1 << max(0, Int(log2(kibibytes / 1_048_576).rounded()))
    }

    private static func virtualization(_ facts: MachineFacts, _ processor: ProcessorInfo) -> String {
        if let hypervisor = facts.line("/sys/hypervisor/type") { return hypervisor }
        let vendor = facts.line("/sys/class/dmi/id/sys_vendor") ?? ""
        let product = facts.line("/sys/class/dmi/id/product_name") ?? ""
        let known = [
            "QEMU": "kvm", "KVM": "kvm", "Google": "kvm", "Amazon EC2": "kvm", "Firecracker": "kvm",
            "Microsoft Corporation": "hyperv", "VMware": "vmware", "innotek": "virtualbox", "Xen": "xen",
        ]
        guard processor.isVirtual else { return processor.model == nil ? "unknown" : "none" }
        let match = known.keys.sorted().first { vendor.hasPrefix($0) || product.hasPrefix($0) }
        return match.flatMap { known[$0] } ?? "virtual"
    }

    private static func system(_ release: String) -> String {
        func value(_ key: String) -> String? {
            let line = release.split(separator: "\n").first { $0.hasPrefix("\(key)=") }
            return line.map { $0.dropFirst(key.count + 1).trimmingCharacters(in: ["\"", "'"]) }
        }
        guard let id = value("ID") else { return "unknown" }
        return value("VERSION_ID").map { "\(id) \($0)" } ?? id
    }

    private static func isContainer(_ facts: MachineFacts) -> Bool {
        if facts.file("/.dockerenv") != nil || facts.file("/run/.containerenv") != nil { return true }
        if facts.environment["container"] != nil || facts.environment["KUBERNETES_SERVICE_HOST"] != nil { return true }
        let groups = facts.file("/proc/1/cgroup") ?? ""
        return ["docker", "kubepods", "containerd", "lxc"].contains { groups.contains($0) }
    }

    private static func continuousIntegration(_ environment: [String: String]) -> String? {
        if environment["GITHUB_ACTIONS"] != nil { return "github:\(environment["ImageOS"] ?? "unknown")" }
        if environment["GITLAB_CI"] != nil { return "gitlab" }
        return environment["CI"] == nil ? nil : "ci"
    }

    /// The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal.
    private static func stealPercent(_ line: String) -> Double? {
        let times = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        let total = times.reduce(0, +)
        guard times.count == 8, total > 0 else { return nil }
        return (times[7] / total * 10_000).rounded() / 100
    }
}
