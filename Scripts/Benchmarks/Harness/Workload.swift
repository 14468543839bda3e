/// One kind of work, and the clients that do it in turn.
///
/// To add one, write a file in `Workloads/` with a constant of it, and name it in ``all``.
struct Workload: Sendable {
    let name: String
    /// What a client does, in words.
    let title: String
    /// What the figures count.
    var unit = "µs"
    /// Whether the clients are compared with the references.
    var isCompared = true
    /// How many operations a client's turn has.
    let count: Int
    /// The same for `--quick`, which leaves out what has 0.
    var quickCount = 2
    /// How often each client has its turn, where one says as much as many.
    var rounds: Int?
    /// How many operations a count of instructions adds between its two runs; nil when instructions say nothing here.
    var instructionCount: Int?
    /// Makes the clients, and what they need, such as a server. The first is the reference that matters most.
    /// Throws ``MissingTool`` where the machine lacks something.
    let clients: @Sendable () async throws -> [Client]

    static let all: [Workload] = [
        .stub, .build, .chain, .sequential, .concurrent, .post, .list, .upload, .importing, .deadline, .memory,
        .coldBuild, .size,
    ]
}
