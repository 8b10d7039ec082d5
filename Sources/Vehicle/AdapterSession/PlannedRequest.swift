/// One request of a plan, with its period, the ECUs that should answer, and what was learned from its answers.
struct PlannedRequest: BitwiseCopyable {
  var request: ReadRequest
  /// Time between two requests, ns; 0 for as fast as the link allows.
  var period: Int64
  var priority: UInt8
  /// ECUs that support any of its identifiers, one bit for each.
  var ecus: UInt8
  /// The identifiers that each ECU supports, one bit for each.
  var expected = InlineArray<8, UInt8>(repeating: 0)
  /// Its row among the addressed requests; `nil` if it goes to all ECUs.
  var addressed: Int?
  /// Whether the PID was missing from answers that contained others. It is then requested alone and rarely until it is
  /// answered.
  var isAbsent = false

  /// Time at which it is due, ns.
  var due: Int64
  var wasSent = false
  /// Whether a reply contained all identifiers, so that the ECUs are known to support several PIDs in one request.
  var wasWhole = false
  /// Replies in a row without any answer.
  var failures = 0
  /// Replies in a row that answered only the first of several PIDs, or refused all.
  var partials = 0

  /// The count of expected frames that is sent after the request; 0 for none.
  var suffix: UInt8 = 0
  /// Frames of the last complete answer, and the number of complete answers in a row with that many.
  var frames = 0
  var streak = 0
  /// Number of equal complete answers after which the count is sent. It grows each time the count truncates an answer.
  var threshold = 3

  /// Latest time to send it: half a period after it is due.
  var deadline: Int64 { due + period / 2 }
}
