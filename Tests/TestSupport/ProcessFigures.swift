#if os(Linux)
import Foundation

/// The resources that this process holds, according to the system.
public struct ProcessFigures: CustomStringConvertible {
    /// The resident memory, in KB.
    public let memory: Int
    /// The peak of the resident memory, in KB.
    public let peak: Int
    public let threads: Int
    public let descriptors: Int

    public static var now: ProcessFigures {
        // The file has no size, so it must be read to its end.
        let bytes = try? FileHandle(forReadingAtPath: "/proc/self/status")?.readToEnd()
        let lines = String(decoding: bytes ?? Data(), as: UTF8.self).split(separator: "\n")
        func number(_ name: String) -> Int {
            lines.first { $0.hasPrefix(name) }?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? -1
        }
        let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return ProcessFigures(
            memory: number("VmRSS:"), peak: number("VmHWM:"), threads: number("Threads:"),
            descriptors: descriptors?.count ?? -1)
    }

    /// Returns the number of threads with a name.
    public static func threads(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            let text = try? FileHandle(forReadingAtPath: "/proc/self/task/\(task)/comm")?.readToEnd()
            return text == Data("\(name)\n".utf8)
        }
    }

    /// Whether a sanitizer is running, which makes memory figures meaningless.
    public static let areSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    public var description: String { "\(memory) KB, \(threads) threads, \(descriptors) descriptors" }
}
#endif
