/// What a `LoopbackServer` does with the bodies that it receives.
public enum BodyHandling: Sendable {
    /// Keeps them whole, in memory.
    case kept
    /// Counts their bytes and drops them: for uploads that would fill the memory.
    case counted
}
