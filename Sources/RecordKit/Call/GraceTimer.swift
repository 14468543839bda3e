/// A timer that can be replaced, and that waits once more if it fires late.
///
/// While a process is stopped, its timers run on, and responses arrive. When it continues, the timers fire first. See
/// ``NetworkClock/grace``.
struct GraceTimer: Sendable {
    typealias Cancel = @Sendable () -> Void

    /// What is done when a timer fires.
    enum Firing: Equatable {
        case timeOut
        /// Begins the timer with this number, for what has arrived meanwhile.
        case wait(number: Int, Duration)
        /// Nothing: the timer was replaced or cleared.
        case ignore
    }

    /// The number of times that the timer was set or cleared.
    private var number = 0
    /// The time at which the timer is due.
    private var due: Duration = .zero
    private var cancel: Cancel?

    /// Begins a timer in place of the one before, which runs until ``keep(_:number:)``. Returns its number.
    mutating func begin(due: Duration) -> Int {
        number += 1
        self.due = due
        return number
    }

    /// Keeps what cancels a timer that was begun.
    ///
    /// - Returns: What is to be cancelled: the timer before, or this one if it was replaced or cleared meanwhile.
    mutating func keep(_ cancel: @escaping Cancel, number: Int) -> Cancel? {
        if number != self.number { return cancel }
        defer { self.cancel = cancel }
        return self.cancel
    }

    /// Handles a timer that fires.
    ///
    /// - Parameter grace: The delay from which a timer is late, and for which it then waits. `nil` if timers are exact.
    mutating func fire(number: Int, at now: Duration, grace: Duration?) -> Firing {
        if number != self.number { return .ignore }
        guard let grace, now - due > grace else { return .timeOut }
        return .wait(number: begin(due: now + grace), grace)
    }

    /// Clears the timer. Returns what cancels it.
    mutating func clear() -> Cancel? {
        number += 1
        return cancel.take()
    }
}

extension Transfer {
    /// Sets the timer, which stops the transfer with an error after a time. Cancels the previous timer.
    func setTimer(_ clock: NetworkClock, after time: Duration, _ error: @escaping @Sendable () -> NetworkError) {
        let due = clock.grace == nil ? .zero : clock.now() + time
        guard let number = withTimer({ $0.begin(due: due) }) else { return }
        schedule(number, clock, time, error)
    }

    func clearTimer() {
        withTimer { $0.clear() }??()
    }

    private func schedule(
        _ number: Int, _ clock: NetworkClock, _ time: Duration, _ error: @escaping @Sendable () -> NetworkError
    ) {
        let cancel = clock.schedule(time) {
            let now = clock.grace == nil ? .zero : clock.now()
            switch self.withTimer({ $0.fire(number: number, at: now, grace: clock.grace) }) {
            case .timeOut: self.stop(error())
            case .wait(let next, let grace): self.schedule(next, clock, grace, error)
            case .ignore, nil: break
            }
        }
        let obsolete = withTimer { $0.keep(cancel, number: number) } ?? cancel
        obsolete?()
    }
}
