import Foundation
public import RecordKit
import XCTest

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension NetworkManager {
    /// Returns the result that the completion of a sent call receives.
    public func sentResult(for request: Request) async -> Request.ResultType {
        await withCheckedContinuation { continuation in
            _ = send(request) { continuation.resume(returning: $0) }
        }
    }

    /// Returns the result that the completion of a data task receives.
    ///
    /// - Parameter begins: Whether a task must be returned. The test fails otherwise.
    public func dataTaskResult(
        for request: Request, in session: URLSession? = nil, skippingInterceptors: Bool = false, begins: Bool = true,
        _ file: StaticString = #filePath, _ line: UInt = #line
    ) async -> Request.ResultType {
        await withCheckedContinuation { continuation in
            let task = dataTask(for: request, in: session, skippingInterceptors: skippingInterceptors) {
                continuation.resume(returning: $0)
            }
            XCTAssertEqual(task != nil, begins, file: file, line: line)
        }
    }
}

extension Result {
    /// The error of a failure.
    public var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
