/// The reason why a batch, or the rest of it, was not delivered.
struct UploadFailure: Error {
  var error: SinkError
  /// How long the server asks to wait, ns; `nil` if it does not.
  var wait: Int64?
  /// Whether no byte of any request of the batch was sent.
  var sentNothing = false

  init(_ error: SinkError, wait: Int64? = nil, sentNothing: Bool = false) {
    self.error = error
    self.wait = wait
    self.sentNothing = sentNothing
  }
}
