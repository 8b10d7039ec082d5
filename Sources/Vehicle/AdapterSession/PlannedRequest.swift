/// One request of a plan, with its period, the ECUs that should answer, and what was learned from its answers.
struct PlannedRequest: BitwiseCopyable {
  var request: ReadRequest
  /// Time between two requests, ns; 0 for as fast as the link allows.
  var period: Int64
  var priority: UInt8
  /// ECUs that support any identifier of the request; bit n stands for the ECU with index n.
  var ecus: UInt8
  /// For each ECU, the identifiers that it supports; bit n stands for the identifier with index n in the request.
  var expected = InlineArray<8, UInt8>(repeating: 0)
  /// Index of the row of the addressed requests that belongs to this request; `nil` if it is sent to all ECUs.
  var addressed: Int?
  /// Whether the request's PID was supported but not answered. Such a PID is requested alone and rarely, until it is
  /// answered.
  var isAbsent = false

  /// Time at which the request is due, ns.
  var due: Int64
  var wasSent = false
  /// Whether a reply contained all identifiers that the ECUs support, which proves that they answer several PIDs in one
  /// request.
  var wasWhole = false
  /// Number of consecutive requests to which no ECU answered.
  var failures = 0
  /// Number of replies in a row that answered only the first of several PIDs, or refused all.
  var partials = 0

  /// The count of expected frames that is sent after the request; 0 if none is sent.
  var suffix: UInt8 = 0
  /// Number of frames in the last complete answer, and how many complete answers in a row had this number.
  var frames = 0
  var streak = 0
  /// Number of complete answers with the same number of frames after which the count is sent. It grows each time the
  /// count truncates an answer.
  var threshold = 3

  /// Time by which the request should be sent: half a period after it is due.
  var deadline: Int64 { due + period / 2 }
}
