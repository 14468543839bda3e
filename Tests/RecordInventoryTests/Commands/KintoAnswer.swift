/// What Kinto says of the requests of a batch.
enum KintoAnswer {
    /// Of the lock.
    static let lock = #"{"status":201,"headers":{},"body":{}}"#
    /// Of a new record A.
    static let made =
        #"{"status":201,"headers":{},"body":{"data":{"id":"A","last_modified":7,"sku":"A","artist":"B","#
        + #""title":"C","quantity":1,"status":"for_sale","price":{"amount":100,"currency":"EUR"}}}}"#

    static func batch(_ answers: String...) -> String {
        #"{"responses":[\#(answers.joined(separator: ","))]}"#
    }
}
