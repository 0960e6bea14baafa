// SPDX-License-Identifier: Apache-2.0

@main
struct ProfilerProbe {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        #if os(Linux) && canImport(Glibc)
        case "heap": await HeapProbe.run(Array(arguments.dropFirst()))
        case "sampler": await SamplerProbe.run(Array(arguments.dropFirst()))
        #endif
        default: print("unknown \(arguments)")
        }
    }
}
