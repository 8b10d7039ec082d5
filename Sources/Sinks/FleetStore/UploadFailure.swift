/// Why a batch, or what is left of it, was not delivered.
struct UploadFailure: Error {
  var error: SinkError
  /// How long the server asks to be left alone, ns.
  var wait: Int64?
  /// No request of the batch was begun to be sent.
  var sentNothing = false

  init(_ error: SinkError, wait: Int64? = nil, sentNothing: Bool = false) {
    self.error = error
    self.wait = wait
    self.sentNothing = sentNothing
  }
}
