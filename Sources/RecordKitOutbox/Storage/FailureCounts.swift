/// The failures of an entry since it was added or retried.
///
/// An outage and a bad entry look alike. The difference is whether others of its kind are answered meanwhile: only then
/// is a failure the entry's own. If nothing of its kind is answered, one behind it is tried: see ``Trial``.
struct FailureCounts: Sendable, Equatable {
    /// The failures in a row.
    var failures = 0
    /// The failures in a row during which nothing of the kind was answered.
    var silent = 0
    /// The failures that count as the entry's own.
    var counted = 0

    /// The number of rounds of silence, some 14 hours of them, after which the answer to any kind counts.
    private static let longSilence = 28

    /// Whether it has failed for so long that the answer to an entry of any kind counts.
    func isLong(_ limit: Int) -> Bool { failures >= Self.longSilence * max(limit, 1) }

    /// Counts another failure.
    ///
    /// - Parameters:
    ///   - limit: The number of counted failures after which an entry is set aside.
    ///   - othersAnswered: Whether an entry of the kind was answered since the failure before.
    ///   - isTrial: Whether one behind it was answered a moment ago. Three such failures set it aside.
    mutating func fail(limit: Int, othersAnswered: Bool, isTrial: Bool) {
        failures += 1
        if isTrial {
            counted += (max(limit, 1) + 2) / 3
        } else if othersAnswered {
            counted += 1
        } else {
            silent += 1
            return
        }
        silent = 0
    }

    /// Whether one behind it is to be tried.
    func needsTrial(_ limit: Int) -> Bool { silent > 0 && silent % max(limit, 1) == 0 }
}
