import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What has arrived of an answer so far, under the size limit of its call.
struct PartialResponse {
    typealias Outcome = NetworkCall.Outcome

    private var head: HTTPURLResponse?
    private var body = Data()
    private var isChallenged = false

    /// Takes the head; returns the outcome when nothing more is wanted.
    mutating func receive(_ head: HTTPURLResponse, of call: NetworkCall) -> Outcome? {
        // Another follows an interim one (RFC 9110 section 15.2), which Linux hands over too; a switch of protocols is
        // the last.
        if head.statusCode < 200, head.statusCode != 101 { return nil }
        self.head = head
        // The length that is announced is that of the bytes sent: it says nothing of what they decode to, and these
        // answers have no body whatever they announce (RFC 9110 section 8.6).
        let hasBody = call.method != .head && head.statusCode != 204 && head.statusCode != 304
        guard hasBody, head.announcesMore(than: call.sizeLimit),
            head.value(forHTTPHeaderField: "Content-Encoding") == nil
        else { return nil }
        return pastLimit(of: call)
    }

    /// Takes a piece of the body; returns the outcome when nothing more is wanted.
    mutating func receive(_ data: Data, of call: NetworkCall) -> Outcome? {
        guard data.count <= call.sizeLimit - body.count else { return pastLimit(of: call) }
        // The first piece is mostly the only one; taking it as it is copies nothing.
        if body.isEmpty { body = data } else { body.append(data) }
        return nil
    }

    /// Takes the head of a 401 or 407 that a challenge was made of.
    mutating func receiveChallenge(_ head: HTTPURLResponse) {
        self.head = head
        isChallenged = true
    }

    /// The outcome of a task that has ended. The body is given away.
    ///
    /// - Parameters:
    ///   - task: knows the head where it was not received before.
    ///   - wasRedirected: whether some server has had the request already.
    ///   - hasSentBody: whether any of the body has been sent; nil where nobody knows.
    mutating func outcome(
        of task: URLSessionTask?, _ error: (any Error)?, of call: NetworkCall, wasRedirected: Bool, hasSentBody: Bool?
    ) -> Outcome {
        defer { body = Data() }
        switch (head ?? task?.response as? HTTPURLResponse, error) {
        case (let head?, nil):
            return .success(NetworkResponse(head, body: body, of: call))
        // Linux ends the task of a challenge that nobody answers as one that was cancelled.
        case (let head?, let error as URLError) where isChallenged && error.code == .cancelled:
            return .success(NetworkResponse(head, body: body, of: call))
        case (_, let error?):
            return .failure(
                NetworkError(
                    error, of: call, hasResponse: head != nil, wasRedirected: wasRedirected, hasSentBody: hasSentBody))
        case (nil, nil):
            return .failure(.badResponse(BadResponse(host: call.url.hostAndPort)))
        }
    }

    private mutating func pastLimit(of call: NetworkCall) -> Outcome {
        body = Data()
        return .failure(call.tooLarge)
    }
}

extension HTTPURLResponse {
    /// `expectedContentLength` is silent about a number that does not fit.
    fileprivate func announcesMore(than limit: Int) -> Bool {
        if expectedContentLength >= 0 { return expectedContentLength > limit }
        guard let length = value(forHTTPHeaderField: "Content-Length"), !length.isEmpty,
            ByteSet.digits.containsAll(of: length)
        else { return false }
        return (length[...].number() ?? .max) > limit
    }
}
