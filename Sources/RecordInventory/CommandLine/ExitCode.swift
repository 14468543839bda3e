/// How a run of the tool ended, as scripts and shells see it.
enum ExitCode: Int32, Sendable {
    case done = 0
    case failed = 1
    /// The server was not reached or did not answer in time, or what came back does not tell whether a change was made.
    case network = 2
    case notFound = 3
    /// The server wants a sign-in, or the account may not do this.
    case notAllowed = 4
    /// A SKU that exists already, a record that somebody else changed, or not enough stock.
    case conflict = 5
    case rateLimited = 6
    /// Some went through, some did not: a file with bad rows, or a change whose result could not be written.
    case partlyDone = 7
    case usage = 64
    /// The input file is not what it should be.
    case badData = 65
    case interrupted = 130
}
