import Foundation

/// A description of this machine.
struct Machine: Sendable, Encodable {
    let processor: String
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let gigabytes = Int(ProcessInfo.processInfo.physicalMemory >> 30)
    let system = ProcessInfo.processInfo.operatingSystemVersionString

    init() {
        #if canImport(Darwin)
        let text = try? Command.run("sysctl", ["-n", "machdep.cpu.brand_string"])
        let name = text.map { String(decoding: $0, as: UTF8.self) }
        #else
        let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = line?.split(separator: ":").last.map(String.init)
        #endif
        processor = name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
    }
}
