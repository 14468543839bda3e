import Foundation
import RecordKit

/// What a server does in one exchange.
struct Script {
    let kind: Plan.Kind
    var headDelay = Duration.zero
    var failure: NetworkError.ConnectionFailure.Kind?
    var status = 200
    var headers = HTTPHeaders()
    var retryAfter: Int?
    var chunks = 1
    var chunkDelay = Duration.zero
    var cacheControl = "no-store"
    var isData = false, isBroken = false, isSilent = false, isDouble = false
    var ignoresCancellation = false, expiresToken = false

    init(_ generator: Generator, _ plan: Plan, _ call: NetworkCall, _ number: Int) {
        var random = generator
        let index = Int(call.headers["X-Call"] ?? "") ?? 0
        kind = plan.calls.first { $0.index == index }?.kind ?? .value
        let hasTroubles = plan.hasTroubles
        headDelay = .seconds(random.pick(0, 0, 1, 2))
        chunks = 1 + random.below(3)
        chunkDelay = .seconds(random.pick(0, 0, 1))
        isData = random.oneIn(3)
        isDouble = random.oneIn(4)
        expiresToken = random.oneIn(5)
        cacheControl = random.pick(
            "no-store", "no-cache", "max-age=1", "max-age=9", "max-age=1, stale-while-revalidate=9",
            "max-age=0, stale-if-error=9")
        if kind == .upgrade { (status, isSilent) = (101, random.oneIn(2)) }
        if kind == .events {
            headers["Content-Type"] = "text/event-stream"
            if number > 3 { status = 204 }
        }
        if kind == .pages, let page = Int(call.url.lastPathComponent), page < 2 {
            headers["Link"] = "</page/\(page + 1)>; rel=\"next\""
        }
        if kind == .download { headers["ETag"] = "\"1\"" }
        guard hasTroubles else { return }
        switch random.below(12) {
        case 0: failure = .refused
        case 1: failure = .lost
        case 2: headDelay = .seconds(9)
        case 3 where kind != .pages:
            status = random.pick(302, 307)
            headers["Location"] = random.pick("/moved", "http://b.test/moved", "http://a.test/moved")
        case 4, 5:
            status = 503
            if random.oneIn(2) { retryAfter = random.pick(0, 1, 2, 30) }
        case 6: status = 404
        case 7: isBroken = true
        case 8: isSilent = true
        default: break
        }
        if isSilent { isData = false }
        if status == 101 { isData = false }
        ignoresCancellation = random.oneIn(6)
    }

    mutating func refuse() {
        status = 401
        retryAfter = nil
        (isData, isBroken, isSilent) = (true, false, false)
    }
}
