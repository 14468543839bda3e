import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Responds to every request at once, with a record of one kilobyte.
///
/// The protocol does less than RecordKitTesting's stub, so that mainly the client is measured.
final class StubProtocol: URLProtocol {
    static let url = URL(string: "http://store.example/v1")!

    private static let body = Listing.sample.json
    private static let headers = ["Content-Type": "application/json", "ETag": "\"1712\"", "Server": "stub"]

    override class func canInit(with request: URLRequest) -> Bool {
        true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        request
    }

    override func startLoading() {
        guard let client, let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: Self.headers)
        else { return }
        client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client.urlProtocol(self, didLoad: Self.body)
        client.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
