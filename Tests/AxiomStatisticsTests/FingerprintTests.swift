// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomStatistics

@Suite("Fingerprints of machines")
struct FingerprintTests {
    private static let intel = """
        processor\t: 0
        model name\t: Intel(R) Xeon(R) CPU @ 2.20GHz
        microcode\t: 0xffffffff
        cpu MHz\t\t: 2199.998
        flags\t\t: fpu vme sse sse2 avx2 bmi1 hypervisor md_clear
        bogomips\t: 4399.99

        processor\t: 1
        model name\t: Something else
        """
    private static let arm =
        "processor\t: 0\nFeatures\t: fp asimd aes crc32\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"

    private static func facts(_ processor: String = intel, _ more: [String: String] = [:]) -> MachineFacts {
        var files = [
            "/proc/cpuinfo": processor, "/proc/meminfo": "MemTotal:        8039956 kB\nMemFree: 1 kB\n",
            "/etc/os-release": "NAME=\"Debian\"\nID=debian\nVERSION_ID=\"12\"\n",
            "/proc/loadavg": "0.25 0.1 0.1 1/2 3\n",
            "/proc/stat": "cpu  100 0 100 700 0 0 0 100 0 0\ncpu0 1 1\n", "/proc/sys/kernel/osrelease": "6.1.0\n",
            "/sys/class/dmi/id/sys_vendor": "Google\n", "/sys/devices/system/cpu/smt/active": "1\n",
        ]
        files.merge(more) { $1 }
        let all = files
        return MachineFacts(
            file: { all[$0] },
            environment: [:],
            architecture: "x86_64",
            logicalProcessors: 2,
            libc: "glibc 2.36",
            hostName: "host"
        )
    }

    @Test("The facts of a virtual machine are read from the system's files")
    func virtualMachine() {
        let fingerprint = Fingerprint.current(Self.facts())
        let machine = fingerprint.mustMatch
        #expect(machine.processor == "Intel(R) Xeon(R) CPU @ 2.20GHz" && machine.virtualization == "kvm")
        #expect(machine.memoryClass == 8 && machine.system == "debian 12" && !machine.isContainer)
        #expect(machine.allocator == "system" && machine.libc == "glibc 2.36")
        let notes = fingerprint.recordOnly
        #expect(notes.load1 == 0.25 && notes.stealPercent == 10 && notes.hasSMT == true && notes.megahertz == 2_199.998)
        #expect(notes.kernel == "6.1.0" && notes.governor == nil && notes.ci == nil)
        #expect(notes.hostHash?.count == 16 && notes.hostHash?.contains("host") == false)
    }

    @Test("Variable facts change no class; facts that decide about speed do, and are named")
    func match() {
        let base = Fingerprint.current(Self.facts())
        let drifted = Self.intel.replacing("2199.998", with: "3100.1").replacing("4399.99", with: "4401")
            .replacing("md_clear", with: "mmio_stale_data").replacing("0xffffffff", with: "0x1")
        var facts = Self.facts(drifted, ["/proc/loadavg": "9 9 9", "/proc/sys/kernel/osrelease": "6.2.0"])
        facts.hostName = "another"
        #expect(base.match(.current(facts)).isMatch)
        #expect(base.recordOnly != Fingerprint.current(facts).recordOnly)

        var other = Self.facts(Self.intel.replacing("avx2", with: "avx512f"), ["/.dockerenv": ""])
        other.logicalProcessors = 4
        let match = base.match(.current(other))
        #expect(match.differences.map(\.field) == ["cpu_features_hash", "logical_cpus", "container"])
        #expect(match.description.contains("logical_cpus was 2 and is 4"))
    }

    @Test("An ARM processor is known by implementer and part, bare metal by the missing flag")
    func arm() {
        let machine = Fingerprint.current(Self.facts(Self.arm)).mustMatch
        #expect(machine.processor == "implementer 0x41 part 0xd0c" && machine.virtualization == "none")
        #expect(machine.featuresHash != "unknown")
    }

    @Test("A system without information is unknown, and equal to another unknown one")
    func silent() {
        let facts = MachineFacts(
            file: { _ in nil },
            environment: ["GITHUB_ACTIONS": "true", "ImageOS": "ubuntu24", "LD_PRELOAD": "libjemalloc.so"],
            architecture: "unknown",
            logicalProcessors: 0,
            libc: "unknown",
            hostName: nil
        )
        let fingerprint = Fingerprint.current(facts)
        #expect(fingerprint.mustMatch.processor == "unknown" && fingerprint.mustMatch.virtualization == "unknown")
        #expect(fingerprint.mustMatch.memoryClass == 0 && fingerprint.mustMatch.allocator == "preload libjemalloc.so")
        #expect(fingerprint.recordOnly.ci == "github:ubuntu24" && fingerprint.recordOnly.hostHash == nil)
        #expect(fingerprint.match(.current(facts)).isMatch)
    }

    @Test("This machine matches itself, and Linux provides its facts")
    func live() {
        let fingerprint = Fingerprint.current()
        #expect(fingerprint.match(.current()).isMatch)
        #if os(Linux)
        #expect(fingerprint.mustMatch.logicalProcessors > 0 && fingerprint.mustMatch.memoryClass > 0)
        #expect(fingerprint.mustMatch.processor != "unknown" && fingerprint.mustMatch.libc != "unknown")
        #expect(fingerprint.recordOnly.kernel != nil)
        #endif
    }
}
