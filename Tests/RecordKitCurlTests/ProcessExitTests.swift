#if os(Linux)
import RecordKit
import RecordKitCurl
import TestSupport
import XCTest

final class ProcessExitTests: TimedTestCase {
    /// Ends the child process while eight transports make connections. Does nothing in this one.
    func testInTheChild() async throws {
        guard let task = ChildProcess.task?.split(separator: " "), let url = URL(string: String(task[0])) else {
            return
        }
        let authority = URL(filePath: String(task[1]))
        let networks = (0..<8).map { _ in
            NetworkConfiguration(url) {
                $0.tls.authorities = authority
                $0.http2 = .never
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for network in networks {
                for _ in 0..<32 { group.addTask { _ = await network.outcome(Fetch(path: "large")) } }
            }
            for _ in 0..<40 { await group.next() }
            exit(3)
        }
    }

    /// Threads that are within OpenSSL while its handler frees what they share would end it with a signal.
    func testAProcessMayEndWhileCallsRun() async throws {
        let certificates = try Certificates.shared.get()
        let server = try NginxServer(certificates)
        let task = "https://localhost:\(server.securePort) \(certificates.authority.path)"
        for _ in 0..<10 {
            let child = try ChildProcess.run("RecordKitCurlTests.ProcessExitTests/testInTheChild", task: task)
            XCTAssertEqual(child.status, 3, child.output)
        }
    }
}
#endif
