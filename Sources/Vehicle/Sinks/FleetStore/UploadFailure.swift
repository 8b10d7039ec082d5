/// The reason why a batch, or some of its records, was not delivered.
struct UploadFailure: Error {
  var error: SinkError
  /// The time for which the server asks the sink to wait, ns; `nil` if it does not ask.
  var wait: Int64?
  /// Whether no byte of any request of this batch was sent.
  var sentNothing = false

  init(_ error: SinkError, wait: Int64? = nil, sentNothing: Bool = false) {
    self.error = error
    self.wait = wait
    self.sentNothing = sentNothing
  }
}
