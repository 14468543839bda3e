public import Foundation
public import XCTest

/// A test case that ends its process when one of its tests hangs, so that a call that never ends fails the test run and
/// doesn't hold it up.
open class TimedTestCase: XCTestCase {
    /// The time that one test may take, in seconds.
    open var timeLimit: TimeInterval { 300 }

    open override func invokeTest() {
        let timer = DispatchWorkItem { [name, timeLimit] in
            FileHandle.standardError.write(Data("\(name) hangs: it has run for \(Int(timeLimit)) seconds.\n".utf8))
            // The test may hold a lock that `exit` takes.
            _exit(1)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeLimit, execute: timer)
        super.invokeTest()
        timer.cancel()
    }
}
