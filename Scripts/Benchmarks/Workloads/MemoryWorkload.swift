import Foundation

extension Workload {
    /// The growth of a process with each request to a server. A stub would not show what libcurl keeps.
    static let memory = Workload(
        name: "memory", title: "growth of the process with each GET of 1 KB from nginx", unit: "bytes",
        isCompared: false, count: 10_000, quickCount: 20
    ) {
        let server = try await NginxServer()
        return ListingClients(server).measured { client, count in
            let before = try residentBytes()
            for _ in 0..<count { _ = try await client.fetch() }
            return Double(try residentBytes() - before) / Double(count)
        }
    }

    private static func residentBytes() throws -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
            throw MissingTool("/proc/self/statm", "this is measured on Linux alone")
        }
        let words = text.split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { throw WrongAnswer("no resident size in \(text)") }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
