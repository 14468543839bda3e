import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Takes every request of a session to the stub that its class belongs to.
class StubURLProtocol: URLProtocol {
    private var delivery: StubDelivery?

    override class func canInit(with request: URLRequest) -> Bool {
        true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        request
    }

    // Nothing may block here: on Linux all sessions of the process share this queue. There it is called again when an
    // answer is ready, and when a task that was suspended is resumed.
    override func startLoading() {
        if let delivery, !delivery.isStopped { return delivery.deliver() }
        guard let client else { return }
        guard let stub = StubRegistry.stub(of: type(of: self)) else {
            return client.urlProtocol(self, didFailWithError: StubError.stubIsGone)
        }
        let delivery = StubDelivery(self, client, clock: stub.clock)
        self.delivery = delivery
        stub.answer(request, through: delivery)
    }

    // On Linux it is called when the task is cancelled, but not when it is complete.
    override func stopLoading() {
        delivery?.stop()
    }
}
