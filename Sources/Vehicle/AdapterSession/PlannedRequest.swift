/// One request of a plan, with its period, the ECUs that should answer, and what was learned from its answers.
struct PlannedRequest: BitwiseCopyable {
  var request: ReadRequest
  /// Time from one sending of this request to the next, ns; 0 to send it as often as the link allows.
  var period: Int64
  var priority: UInt8
  /// The ECUs that support at least one identifier of the request. Bit n stands for the ECU with index n.
  var ecus: UInt8
  /// For each ECU, the identifiers of this request that the ECU supports. Bit n stands for the identifier with index n.
  var expected = InlineArray<8, UInt8>(repeating: 0)
  /// Row of the addressed request in the ``AddressedTable``; `nil` if the request is sent to all ECUs.
  var addressed: Int?
  /// Whether the request's PID is absent: an ECU claims to support it, but does not answer it. Such a PID is requested
  /// alone and rarely, until it is answered.
  var isAbsent = false

  /// Time at which the request is due, ns.
  var due: Int64
  var wasSent = false
  /// Whether any reply has contained all identifiers of the request that the ECUs support. Such a reply proves that the
  /// ECUs answer several PIDs in one request.
  var wasWhole = false
  /// Number of times in a row that the request was not answered, or was refused.
  var failures = 0
  /// Number of replies in a row that answered only the first of several PIDs, or refused all of them.
  var partials = 0

  /// The count of expected frames that is sent after the request's bytes; 0 to send none.
  var suffix: UInt8 = 0
  /// Number of frames in the last complete answer.
  var frames = 0
  /// Number of complete answers in a row that had `frames` frames.
  var streak = 0
  /// The length of ``streak`` from which the count of expected frames (``suffix``) is sent after the request. The
  /// threshold grows each time that the count truncates an answer or is refused.
  var threshold = 3

  /// Time by which the request should be sent: half a period after it became due.
  var deadline: Int64 { due + period / 2 }
}
