/// A program that a workload needs and this machine lacks.
struct MissingTool: Error, CustomStringConvertible {
    let description: String

    init(_ name: String, _ advice: String) {
        description = "\(name) is missing; \(advice)"
    }
}
