import Foundation
import RecordKit
import TestSupport
import XCTest

/// What SwiftUI's alerts and Foundation show of a domain's error.
final class LocalizedErrorTests: TimedTestCase {
    private enum PlainError: NetworkFailure {
        case notFound
        case httpFailed(NetworkError)
        case refused(code: Int, NetworkError?)
        case conflict(current: Item)

        init(_ error: NetworkError) { self = .httpFailed(error) }
    }

    private enum DescribedError: NetworkFailure, CustomStringConvertible {
        case notFound

        init(_ error: NetworkError) { self = .notFound }
        var description: String { "No such record." }
    }

    private enum OwnError: NetworkFailure {
        case notFound

        init(_ error: NetworkError) { self = .notFound }
        var errorDescription: String? { "We don't have it." }
        var recoverySuggestion: String? { "Try another shop." }
    }

    private struct ErrorOfAStruct: NetworkFailure {
        var cause: NetworkError

        init(_ error: NetworkError) { cause = error }
    }

    func testTheLocalizedDescription() {
        let cancelled = NetworkError.cancelled
        let table: [(any NetworkFailure, String)] = [
            (PlainError.notFound, "Not found."),
            (PlainError.conflict(current: Item(sku: "s3cret", quantity: 1)), "Conflict."),
            (PlainError.httpFailed(cancelled), cancelled.description),
            (PlainError.refused(code: 1, cancelled), cancelled.description),
            (PlainError.refused(code: 1, nil), "Refused."),
            (DescribedError.notFound, "No such record."),
            (OwnError.notFound, "We don't have it."),
            (ErrorOfAStruct(cancelled), cancelled.description),
            (cancelled, cancelled.description),
        ]
        for (error, expected) in table { XCTAssertEqual(error.localizedDescription, expected) }
        XCTAssertEqual((OwnError.notFound as NSError).localizedRecoverySuggestion, "Try another shop.")
        XCTAssertNil(PlainError.notFound.recoverySuggestion)
    }

    func testPrintStaysAsItIs() {
        XCTAssertEqual("\(PlainError.notFound)", "notFound")
        XCTAssertEqual("\(PlainError.refused(code: 1, nil))", "refused(code: 1, nil)")
    }
}
