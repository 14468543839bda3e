import RecordKit
import TestSupport
import XCTest

final class InterceptorRoleTests: TimedTestCase {
    /// Notes its name on each call.
    private struct Named: NetworkInterceptor {
        let name: String
        let role: NetworkInterceptorRole

        func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
            var call = call
            call.headers["X-Order"] = (call.headers["X-Order"] ?? "") + name
            return try await next(call)
        }
    }

    /// C changes calls, S signs them, O observes them.
    func testOneThatSignsRunsBehindAllThatChange() async {
        let orders = [
            ("", ""), ("S", "S"), ("SC", "CS"), ("CS", "CS"), ("CSO", "CSO"), ("SCO", "CSO"), ("COS", "COS"),
            ("SOC", "OCS"), ("OSC", "OCS"), ("SO", "SO"), ("OS", "OS"), ("sSC", "CsS"), ("sCSO", "CsSO"),
            ("cCsS", "cCsS"), ("sCSc", "CcsS"),
        ]
        for (given, expected) in orders {
            let interceptors = given.map { name in
                let role: NetworkInterceptorRole =
                    switch name {
                    case "S", "s": .signs
                    case "O": .observes
                    default: .changes
                    }
                return Named(name: String(name), role: role)
            }
            let transport = CannedTransport()
            let session = NetworkSession(NetworkConfiguration(transport, interceptors))
            _ = await session.status()
            XCTAssertEqual(transport.calls.first?.headers["X-Order"] ?? "", expected, given)
            XCTAssertEqual(
                session.configuration.interceptors.map { ($0 as? Named)?.name }.compactMap { $0 }.joined(), given)
        }
    }
}
