/// One request of a plan: what it asks, how often, whom it expects to answer, and what was learned of its answers.
struct PlannedRequest: BitwiseCopyable {
  var request: ReadRequest
  /// ns; 0: as fast as the link allows.
  var period: Int64
  var priority: UInt8
  /// ECUs that support any of its identifiers, one bit each.
  var ecus: UInt8
  /// Which of its identifiers each ECU supports, one bit each.
  var expected = InlineArray<8, UInt8>(repeating: 0)
  /// Its row among the addressed requests; -1: asked of all ECUs.
  var addressed = -1
  /// The PID stayed away from answers that others were in: it is asked alone and seldom until it comes back.
  var isAbsent = false

  /// When it is due, ns.
  var due: Int64
  var wasSent = false
  /// All that was asked was answered once: its ECUs take several PIDs at once.
  var wasWhole = false
  /// Replies without any answer, in a row.
  var failures = 0
  /// Answers to the first of several PIDs only, or refusals of all together, in a row.
  var partials = 0

  /// Frames that the adapter is told to wait for; 0: not told.
  var suffix: UInt8 = 0
  /// Frames of the last whole answer, and how many whole answers in a row had as many.
  var frames = 0
  var streak = 0
  /// Streak after which the count is trusted; grows each time it cut an answer.
  var threshold = 3

  /// Up to when it should be sent: half a period late is late for all alike.
  var deadline: Int64 { due + period / 2 }
}
