/// Why bytes are not JSON, and at which byte that shows.
struct JSONSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
    let offset: Int
    let reason: String

    var description: String { "\(reason) at byte \(offset)" }
}
