import OBDWire

/// Makes the pauses that a K-line needs (ISO 9141-2, 6.2.2; ISO 14230-2, 4.4.1). An ECU answers within 50 ms (P2max).
/// At least 55 ms (P3min) must pass between the last answer and the next request.
///
/// Since its version 2.0, the ELM327 itself makes a pause before each request, and lists the length of the pause among
/// its parameters (``PauseParameter``). If the listed pause is at least P3min, the session sends the next request as
/// soon as it has read the prompt. Otherwise, it waits until P3min has passed since the last byte.
///
/// Some adapters list a pause but do not make it, and ECUs then miss requests. Therefore, if a request was sent before
/// P3min had passed and was not answered, it is repeated after P3min. If the repetition is answered, the adapter
/// probably does not make its pause.
extension AdapterSession {
  /// ATST0E, 57 ms: time for which the adapter waits for answers of further ECUs. It is slightly longer than P3min.
  private static let waitOnKLine: UInt8 = 0x0E
  /// ATST0D, 53 ms: time for which the adapter waits for answers of further ECUs if the adapter itself makes the pause
  /// P3min. It is longer than P2max, but short enough that the next request arrives while the adapter makes its pause.
  private static let waitBeforePause: UInt8 = 0x0D
  private static let doubtsLimit = 3
  /// If this many requests in a row were answered although they were sent before P3min had passed, the adapter
  /// certainly makes the pause.
  private static let proofLimit = 20

  /// Value of ATST (steps of 4.096 ms) for requests that do not need a longer wait than usual.
  var baseWait: UInt8 {
    let isKept = connection?.pause.isKeptByAdapter ?? false
    switch vehicle.answerTime.pace {
    case .slowest: return AdapterSettings.longestWait
    case .usual where vehicle.isKLine: return isKept ? Self.waitBeforePause : Self.waitOnKLine
    case .usual, .slow: return AdapterSettings.usualWait
    }
  }

  /// Earliest time of the next request: P3min after the last byte. 0 if a request may be sent at any time.
  func earliestRequest(_ connection: Connection) -> Int64 {
    let isEarlyAllowed =
      connection.pause.isKeptByAdapter && connection.pause.repeated == nil && connection.presenceCheck == nil
    return vehicle.isKLine && !isEarlyAllowed ? dialogue.bytes.lastContentAt + Limit.p3min : 0
  }

  /// Whether to read the adapter's programmable parameters (ATPPS). They are useful only on a K-line. They are not read
  /// if the adapter is known to refuse ATPPS, or to list a pause that it does not make.
  var wantsParameters: Bool {
    vehicle.isKLine && !isConfirmed(.breaksPause) && !isConfirmedSinceOpening(.noParameterList)
  }

  /// Handles the answer to ATPPS.
  mutating func learnPause(_ reply: ReplyObserver) {
    // A damaged list proves nothing.
    let isKept = reply.keepsPause == true && !reply.isDamaged
    connection?.pause.isKeptByAdapter = isKept
    connection?.pause.doubts = 0
    if isKept { learn(.keepsPause) } else { memory.quirks.remove(.keepsPause) }
  }

  /// Uses the reply to a request of the plan as evidence that the adapter makes the pause P3min, or does not make it.
  mutating func checkPause(_ index: Int, _ reply: ReplyObserver, at now: Int64) {
    guard var pause = connection?.pause else { return }
    defer { connection?.pause = pause }
    guard pause.isKeptByAdapter, index != pause.repeated else {
      if index == pause.repeated, reply.messages > 0 { pause.doubts += 1 }
      pause.repeated = nil
      if pause.doubts >= Self.doubtsLimit {
        pause = KLinePause()
        memory.quirks.remove(.keepsPause)
        learn(.breaksPause)
      }
      return
    }
    guard pause.isEarly else { return }
    if reply.messages > 0 {
      // The request was answered although it was sent before P3min had passed. Forget the requests that were not
      // answered: single answers are lost on any bus.
      pause.doubts = 0
      pause.earlyAnswers += 1
      if pause.earlyAnswers == Self.proofLimit { unlearn(.breaksPause) }
    }
    guard reply.failed(.noData) else { return }
    pause.earlyAnswers = 0
    pause.repeated = index
    plan.update(index) { $0.due = now }
  }
}
