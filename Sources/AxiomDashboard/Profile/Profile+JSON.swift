// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
package import AxiomInstrumentation

extension Profile {
    static let stackLimit = 4_000

    /// The profile as `profile-1.schema.json` describes it.
    ///
    /// - Parameter seconds: The seconds since 1970 of an instant.
    package func json(_ seconds: (Instant) -> Double = { Double($0.nanoseconds) / 1e9 }) -> [UInt8] {
        let profile = bounded(to: Self.stackLimit)
        var json = JSONText(capacity: 1 << 16)
        json.object { json in
            json.member("schema", "axiom/profile")
            json.member("version", 1)
            json.member("start", .moment(seconds(start)))
            json.member("end", .moment(seconds(end)))
            json.member("rate", rate)
            json.member("samples", samples)
            json.member("outside", outside)
            json.member("lost", lost)
            json.member("ended", .words(ended))
            json.member("unsampled", unsampled)
            json.member("allocations", .flag(hasAllocations))
            json.member("lostAllocated", lostAllocated)
            json.member("lostLive", lostLive)
            json.member("waitsSince", .moment(waitsSince.map(seconds)))
            json.member("frames") { json in json.list(profile.frames) { $1.write(to: &$0) } }
            json.member("stacks") { json in json.list(profile.stacks) { $1.write(to: &$0) } }
        }
        return json.bytes
    }
}

extension Profile.Frame {
    fileprivate func write(to json: inout JSONText) {
        json.object { json in
            json.member("kind", kind.rawValue)
            json.member("name", .words(name, limit: 400))
            json.member("module", .words(module))
            json.member("file", .words(file))
            json.member("line", .count(line))
            json.member("guessed", .flag(isGuessed))
        }
    }
}

extension Profile.Stack {
    fileprivate func write(to json: inout JSONText) {
        json.object { json in
            json.member("frames") { json in json.list(frames) { $0.integer($1) } }
            json.member("samples", samples)
            json.member("processor", Double(processor) / 1e9)
            json.member("waiting", Double(waiting) / 1e9)
            json.member("allocated", allocated)
            json.member("live", live)
        }
    }
}
