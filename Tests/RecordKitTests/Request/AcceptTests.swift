import Foundation
import RecordKit
import TestSupport
import XCTest

final class AcceptTests: TimedTestCase {
    func testAnErrorOfTheDomainsOwnIsWhatTheCallEndsWith() {
        enum Refused: NetworkFailure, Equatable {
            case inTheBody, network

            init(_ error: NetworkError) { self = .network }
        }
        struct Ask<ErrorType: Error>: NetworkRequest {
            typealias ValueType = String
            let thrown: any Error
            let handled: ErrorType
            var path: RequestPath { "" }

            func handleResponse(_ response: NetworkResponse) -> Result<String, ErrorType> {
                accept(response) { _ in throw thrown }
            }
            func handleError(_ error: NetworkError) -> Result<String, ErrorType> { .failure(handled) }
        }
        let ok = NetworkResponse(statusCode: 200, url: URL(string: "https://store.example")!)
        XCTAssertEqual(
            Ask(thrown: Refused.inTheBody, handled: Refused.network).handleResponse(ok), .failure(.inTheBody))
        XCTAssertEqual(
            Ask(thrown: CancellationError(), handled: Refused.network).handleResponse(ok), .failure(.network))
        let status = NetworkError.status(ok)
        guard case .failure(.cancelled) = Ask(thrown: NetworkError.cancelled, handled: status).handleResponse(ok)
        else { return XCTFail("wrapped") }
        // The error type may be `any Error`.
        let any: any Error = Refused.network
        guard case .failure(Refused.network) = Ask(thrown: Refused.inTheBody, handled: any).handleResponse(ok)
        else { return XCTFail("not handled") }
    }
}
