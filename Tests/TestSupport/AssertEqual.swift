import XCTest

/// Asserts that two values are equal, of which one may be awaited: `XCTAssertEqual` takes no `await`.
public func assertEqual<Value: Equatable>(
    _ value: Value, _ expected: Value, _ message: @autoclosure () -> String = "", file: StaticString = #filePath,
    line: UInt = #line
) { XCTAssertEqual(value, expected, message(), file: file, line: line) }

/// Asserts that a value, which may be awaited, is `nil`.
public func assertNil<Value>(
    _ value: Value?, _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line
) { XCTAssertNil(value, message(), file: file, line: line) }
