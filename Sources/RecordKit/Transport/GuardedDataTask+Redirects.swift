import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension GuardedDataTask {
    func willRedirect(_ response: HTTPURLResponse, completionHandler: (URLRequest?) -> Void) {
        let next = state.withLock { $0.task == nil ? nil : $0.follow(response) }
        next?.recordRedirect(response.statusCode)
        #if canImport(FoundationNetworking)
        // Whoever holds the task may cancel it at any moment, and an answer that comes after that ends the process. So
        // there is none: the task waits, and ends when the one that follows it has ended.
        guard let next else {
            return stop(state.withLock { $0.outcome(NetworkResponse(response, body: Data(), of: $0.call)) })
        }
        SessionTasks.perform { self.follow(to: next) }
        #else
        completionHandler(next.map { URLRequest($0) })
        // Nobody waits for the body of one that is refused.
        if let refusal = state.withLock({ $0.refusal }) { stop(.failure(refusal)) }
        #endif
    }

    private func follow(to call: NetworkCall) {
        let redirects = state.withLock { $0.redirects }
        let follower = GuardedDataTask(call, redirects: redirects, slots: nil, make: make) { [weak self] outcome in
            self?.stop(outcome)
        }
        do throws(NetworkError) {
            let task = try follower.makeTask()
            let isOver = state.withLock { state in
                if state.completion != nil { state.follower = follower }
                return state.completion == nil
            }
            if isOver { SessionTasks.cancel(task) } else { follower.start(task) }
        } catch {
            stop(.failure(error))
        }
    }
}

extension GuardedDataTask.State {
    /// The call that follows a redirect; nil when that is the answer, or is refused.
    fileprivate mutating func follow(_ response: HTTPURLResponse) -> NetworkCall? {
        let answer = NetworkResponse(response, body: Data(), of: call)
        var redirects = redirects
        do throws(NetworkError) {
            guard let next = try redirects.next(after: answer, of: call) else { return nil }
            // Linux's URLSession would send an empty one, and both systems shall do the same.
            if let body = next.body, body.length != 0 {
                throw self.redirects.refusal(.bodyCannotBeSentAgain, answer, next.url)
            }
            (self.redirects, call) = (redirects, next)
            return next
        } catch {
            refusal = error
            return nil
        }
    }

    /// What an answer comes to that is not followed: a redirect that URLSession could not read, and did not ask about,
    /// may be refused all the same.
    mutating func outcome(_ response: NetworkResponse) -> GuardedDataTask.Outcome {
        if let refusal { return .failure(refusal) }
        var response = response
        response.redirects = redirects.followed
        do throws(NetworkError) {
            _ = try redirects.next(after: response, of: call)
            return .success(response)
        } catch {
            return .failure(error)
        }
    }
}
