// SPDX-License-Identifier: Apache-2.0

// The example of Documentation/capabilities-linux.md. A test compares the two.
import Axiom
import AxiomSystem

/// Prints what happens on the machine until the task is cancelled.
func watchMachine() async throws {
    let space = try DiskSpaceSource("/var/lib/shop", warning: .share(0.1), critical: .bytes(100_000_000))
    let memory = try MemoryPressureSource()
    print("memory is observed by", try await memory.method())
    try await withThrowingTaskGroup { group in
        group.addTask { for try await event in space.events() { print(event) } }
        group.addTask { for try await event in memory.events() { print(event) } }
        group.addTask { for try await event in NetworkLinkSource().events() { print(event) } }
        try await group.waitForAll()
    }
}
