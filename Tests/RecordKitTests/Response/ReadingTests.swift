import RecordKit
import TestSupport
import XCTest

final class ReadingTests: TimedTestCase {
    private let url = URL(filePath: "/")

    private func response(_ status: Int = 200, _ headers: HTTPHeaders = [:], _ body: String = "") -> NetworkResponse {
        NetworkResponse(statusCode: status, headers: headers, body: Data(body.utf8), url: url)
    }

    /// A request that reads a response as `ValueType`, with the witness that its declaration selects.
    private struct Read<ValueType: Sendable & NetworkValue & Decodable>: NetworkRequest {
        typealias ErrorType = NetworkError
        var path: RequestPath { "" }
    }

    private struct ReadDecodable<ValueType: Sendable & Decodable>: NetworkRequest {
        typealias ErrorType = NetworkError
        var path: RequestPath { "" }
    }

    private struct ReadVoid: NetworkRequest {
        typealias ValueType = Void
        typealias ErrorType = NetworkError
        var path: RequestPath { "" }
    }

    func testDataAndStringAreTheBodyItself() throws {
        XCTAssertEqual(try Read<Data>().handleResponse(response(200, [:], "[1]")).get(), Data("[1]".utf8))
        XCTAssertEqual(try Read<String>().handleResponse(response(200, [:], "[1]")).get(), "[1]")
    }

    func testAStringIsReadInTheCharsetThatIsNamed() throws {
        let latin = NetworkResponse(
            statusCode: 200, headers: ["Content-Type": "text/plain; charset=ISO-8859-1"], body: Data([0xDC, 0x62]),
            url: url)
        XCTAssertEqual(try latin.value(as: String.self), "Üb")
        XCTAssertEqual(try latin.bodyString, "Üb")

        let unknown = response(200, ["Content-Type": "text/plain; charset=klingon"], "x")
        XCTAssertThrowsError(try unknown.value(as: String.self)) { error in
            XCTAssertEqual(error as? NetworkResponse.ReadingError, .unknownCharset("klingon"))
        }
        let broken = NetworkResponse(statusCode: 200, body: Data([0xFF]), url: url)
        XCTAssertThrowsError(try broken.value(as: String.self))
    }

    func testAnOptionalIsNilForNothingAndForNull() throws {
        let item = #"{"sku": "a", "quantity": 1}"#
        XCTAssertNil(try Read<Item?>().handleResponse(response(204)).get())
        for blank in ["", " ", "\r\n", "\t\n  \n", "\u{FEFF}", "\u{FEFF}\r\n", "\u{FEFF}null", " \u{FEFF} null\n"] {
            let response = response(200, [:], blank)
            XCTAssertNil(try Read<Item?>().handleResponse(response).get(), blank.debugDescription)
            XCTAssertNil(try Read<[Item]?>().handleResponse(response).get(), blank.debugDescription)
            if blank.contains("null") { continue }
            XCTAssertThrowsError(try response.value(as: Item.self)) { error in
                XCTAssertEqual(error as? NetworkResponse.ReadingError, .emptyBody, blank.debugDescription)
            }
            // A string is what it is.
            if !blank.isEmpty, blank.first != "\u{FEFF}" { XCTAssertEqual(try response.value(as: String?.self), blank) }
        }
        for body in ["\u{FEFF}nul", "nullnull", "n", "\u{A0}"] {
            XCTAssertThrowsError(try Read<Item?>().handleResponse(response(200, [:], body)).get(), body)
        }
        for blanks in [" ", String(repeating: " ", count: 100)] {
            XCTAssertNil(try Read<Item?>().handleResponse(response(200, [:], "\(blanks)null\n")).get())
        }
        XCTAssertEqual(try Read<Item?>().handleResponse(response(200, [:], item)).get(), Item(sku: "a", quantity: 1))
        XCTAssertEqual(try Read<String?>().handleResponse(response(200, [:], "null")).get(), "null")
        XCTAssertEqual(try response(200, [:], item).value(as: Item??.self), Item(sku: "a", quantity: 1))
        XCTAssertEqual(try response(204).value(as: NetworkResponse?.self)?.statusCode, 204)
    }

    func testAGenericRequestReadsWhatItTurnsOutToBe() throws {
        // Reads in a generic context, as a manager does.
        func read<Request: NetworkRequest>(_ request: Request, _ body: String) throws -> Request.ValueType {
            try request.handleResponse(response(200, [:], body)).get()
        }
        XCTAssertEqual(try read(ReadDecodable<String>(), "[1]"), "[1]")
        XCTAssertEqual(try read(ReadDecodable<Data>(), "[1]"), Data("[1]".utf8))
        XCTAssertNil(try read(ReadDecodable<Item?>(), ""))
        XCTAssertEqual(try read(ReadDecodable<[Int]>(), "[1]"), [1])
    }

    func testVoidReadsNothing() throws {
        for status in [200, 204, 205] {
            XCTAssertNoThrow(try ReadVoid().handleResponse(response(status)).get())
        }
        XCTAssertNoThrow(try response(200, [:], "anything").value(as: Void.self))
    }

    func testAnEmptyBodyIsNoValue() {
        guard case .failure(.decoding(let failure)) = ReadDecodable<Item>().handleResponse(response(204)) else {
            return XCTFail("accepted")
        }
        XCTAssertEqual(failure.cause as? NetworkResponse.ReadingError, .emptyBody)
        XCTAssertEqual(failure.response.statusCode, 204)
    }

    func testAResponseThatIsNotHTMLIsLeftToTheDecoder() {
        XCTAssertThrowsError(try response(200, ["Content-Type": "text/plain"], "<p>").value(as: Item.self)) { error in
            XCTAssertTrue(error is DecodingError, "\(error)")
        }
    }

    func testATypeThatReadsTheHeaders() throws {
        struct Total: NetworkValue, Equatable {
            let count: Int?

            static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) -> Total {
                Total(count: response.headers["Total-Objects"].flatMap { Int($0) })
            }
        }
        XCTAssertEqual(try response(200, ["total-objects": "7"]).value(as: Total.self), Total(count: 7))
        XCTAssertEqual(try response(200, ["total-objects": "7"], "x").value(as: Total?.self), Total(count: 7))
    }

    func testATypeThatCannotBeReadSaysSo() {
        struct Opaque {}
        XCTAssertThrowsError(try response(200, [:], "{}").value(as: Opaque.self)) { error in
            guard case .noReading? = error as? NetworkResponse.ReadingError else { return XCTFail("\(error)") }
        }
    }

    private struct Hidden: Decodable {
        let id: Int
    }

    func testTheNameOfAPrivateTypeIsTheSameInEachRun() throws {
        struct Ask: NetworkRequest {
            typealias ErrorType = NetworkError
            typealias ValueType = [Hidden]
            let path: RequestPath = "x"
        }
        let response = NetworkResponse(statusCode: 200, body: Data("{}".utf8), url: URL(string: "https://h")!)
        guard case .failure(.decoding(let failure)) = Ask().handleResponse(response) else { return XCTFail("read") }
        XCTAssertEqual(failure.type, "Swift.Array<RecordKitTests.ReadingTests.Hidden>")
    }

    func testNoStatusButA2xxIsRead() {
        for status in [100, 199, 300, 304, 400, 404, 500, 599] {
            guard case .failure(.status(let response)) = Read<String>().handleResponse(response(status, [:], "x"))
            else { return XCTFail("\(status)") }
            XCTAssertEqual(response.statusCode, status)
        }
    }

    func testAFailureMayBecomeASuccess() throws {
        struct Find: NetworkRequest {
            typealias ValueType = Item?
            typealias ErrorType = NetworkError
            var path: RequestPath { "" }

            func handleError(_ error: NetworkError) -> ResultType {
                error.response?.statusCode == 404 ? .success(nil) : .failure(error)
            }
        }
        XCTAssertNil(try Find().handleResponse(response(404)).get())
        XCTAssertThrowsError(try Find().handleResponse(response(500)).get())
    }

    // MARK: Errors of a domain

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

    // MARK: Printed responses

    func testProblemDetailsAreReadAndNotPrinted() {
        let body = #"{"type": 7, "title": "Out of stock", "status": 409, "detail": "None left", "more": [1]}"#
        let refused = response(409, ["Content-Type": "application/problem+json"], body)

        XCTAssertEqual(refused.problem?.type, "about:blank")
        XCTAssertEqual(refused.problem?.detail, "None left")
        let error = NetworkError.status(refused)
        XCTAssertEqual(error.response?.problem?.title, "Out of stock")
        for word in ["None left", "Out of stock"] { XCTAssertFalse("\(error)".contains(word), "\(error)") }
        XCTAssertNil(response(409, ["Content-Type": "application/json"], body).problem)
        XCTAssertNil(response(409, ["Content-Type": "application/problem+json"], "oops").problem)
    }

    func testAPrintedResponseKeepsSecrets() throws {
        let url = try XCTUnwrap(URL(string: "https://u:s3cret@a.example/x?page=1&access_token=s3cret&Till=s3cret#top"))
        var headers: HTTPHeaders = ["Set-Cookie": "s3cret"]
        headers.markSensitive(["till"])
        let response = NetworkResponse(statusCode: 200, headers: headers, body: Data("s3cret".utf8), url: url)
        var dumped = ""
        dump(response, to: &dumped)

        // The dump does not contain the bytes, which short data would show.
        XCTAssertTrue(dumped.contains("body: \"6 bytes\""), dumped)
        for text in ["\(response)", dumped, "\(NetworkError.status(response))"] {
            XCTAssertFalse(text.contains("s3cret"), text)
        }
        XCTAssertTrue("\(response)".contains("page=1"))
    }
}
