import Foundation

extension Process {
    /// Kills the process after two minutes, so that a test that waits for its end or its output fails.
    func killAfterTwoMinutes() {
        let number = processIdentifier
        DispatchQueue.global().asyncAfter(deadline: .now() + 120) { [weak self] in
            if self?.isRunning == true { kill(number, SIGKILL) }
        }
    }
}
