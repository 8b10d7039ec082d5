/// The reason why a batch, or the rest of it, was not delivered.
struct UploadFailure: Error {
  var error: SinkError
  /// The delay that the server requests, ns; `nil` if it requests none.
  var wait: Int64?
  /// Whether no byte of any request of the batch was sent.
  var sentNothing = false

  init(_ error: SinkError, wait: Int64? = nil, sentNothing: Bool = false) {
    self.error = error
    self.wait = wait
    self.sentNothing = sentNothing
  }
}
