import Dispatch

/// All of it happens with the tracker's lock held, which keeps what is told in order, and runs nothing of anybody's.
extension TaskTracker.Observer {
    func begin(_ count: Int) {
        switch self {
        case .edges(let queue, let first, _):
            if count > 0 { queue.async(execute: first) }
        case .counts(let continuation): continuation.yield(count)
        }
    }

    func tell(_ count: Int, isMore: Bool) {
        switch self {
        case .edges(let queue, let first, let last):
            if count == 1, isMore { queue.async(execute: first) }
            if count == 0 { queue.async(execute: last) }
        case .counts(let continuation): continuation.yield(count)
        }
    }
}
