/// One kind of work, and the clients that do it in turn.
///
/// To add a workload, declare a constant in a file in `Workloads/`, and add it to ``all``.
struct Workload: Sendable {
    let name: String
    /// A description of the work.
    let title: String
    /// The unit of the figures.
    var unit = "µs"
    /// Whether the clients are compared with the references.
    var isCompared = true
    /// The number of operations in a client's turn.
    let count: Int
    /// The same for `--quick`, which omits workloads with 0.
    var quickCount = 2
    /// The number of turns of each client, if more turns would not change the figure.
    var rounds: Int?
    /// The number of operations between the two runs of a count of instructions. `nil` if instructions mean nothing
    /// here.
    var instructionCount: Int?
    /// Creates the clients, and what they need, such as a server. The first client is the main reference. Throws
    /// ``MissingTool`` if the machine lacks a program.
    let clients: @Sendable () async throws -> [Client]

    static let all: [Workload] =
        [
            .stub, .build, .chain, .cache, .sequential, .concurrent, .post, .list, .elements, .firstElement,
            .elementMemory,
            .lines, .events, .upload, .download, .importing, .listing, .searching, .selling, .deadline, .memory,
            .coldBuild,
            .size, .jsonDecode, .jsonEncode, .jsonGet, .jsonPost, .jsonList, .curlSequential, .curlConcurrent,
            .curlDown,
            .curlUp, .curlPeak, .curlMemory, .curlWait, .curlSecure, .curlSecureHTTP2, .curlSecureConcurrent,
            .curlSecureConcurrentHTTP2, .curlConnections, .curlWaiting,
        ] + jsonShapes
}
