import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

/// Hosts that are IPv6 addresses. Addresses that contain an IPv4 address lead to a server that only listens on IPv4.
final class AddressHostTests: TimedTestCase {
    func testAnAddressIsReachedHoweverItIsWritten() async throws {
        let server = try LoopbackServer { _ in .text("here") }
        for host in ["[::ffff:127.0.0.1]", "[0:0:0:0:0:FFFF:7f00:1]", "[::FFFF:127.0.0.1]"] {
            for way in HostileBehavior.Way.allCases {
                let ask = Ask<NetworkResponse>(baseURL: "http://\(host):\(server.port)")
                let result = await HostileBehavior.run(ask, NetworkConfiguration(), way)
                let response = try result.get()
                XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "here", "\(host) \(way)")
                XCTAssertTrue(response.url.absoluteString.hasPrefix("http://\(host):"), "\(response.url)")
            }
        }
        let hosts = Set(server.requests.map { $0.headers("Host").joined().lowercased() })
        XCTAssertEqual(hosts, ["[::ffff:127.0.0.1]:\(server.port)"])
    }

    func testPathAndQueryAreSentAsToAName() async throws {
        let server = try LoopbackServer { _ in .text("here") }
        for host in ["127.0.0.1", "[::ffff:127.0.0.1]"] {
            var ask = Ask<NetworkResponse>(baseURL: "http://\(host):\(server.port)", path: "ü [1]/100%/\("a/b")")
            ask.query.add("a[b]", "c d%&[::1]")
            _ = try await HostileBehavior.run(ask, NetworkConfiguration(), .value).get()
        }
        XCTAssertEqual(server.requests.count, 2)
        XCTAssertEqual(Set(server.requests.map(\.target)).count, 1, "\(server.requests.map(\.target))")
    }

    /// libcurl sends the address without its zone.
    func testAnAddressWithAZoneIsStillRefused() async throws {
        let ask = Ask<NetworkResponse>(baseURL: "http://[fe80::1%25lo]:1")
        let result = await HostileBehavior.run(ask, NetworkConfiguration(), .value)
        guard case .failure(let error) = result else { return XCTFail("\(result)") }
        XCTAssertFalse(error.mayHaveReachedServer)
    }

    func testARedirectLeadsThereAndOnFromThere() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/on" { return .text("here") }
            if request.path == "/there" { return .redirect(to: "/on") }
            let port = request.headers("Host").joined().split(separator: ":").last ?? ""
            return .redirect(to: "http://[::ffff:127.0.0.1]:\(port)/there")
        }
        for way in HostileBehavior.Way.allCases {
            let result = await HostileBehavior.run(Ask<NetworkResponse>(), NetworkConfiguration(server.url), way)
            XCTAssertEqual(try result.get().url.absoluteString, "http://[::ffff:127.0.0.1]:\(server.port)/on", "\(way)")
        }
    }
}
