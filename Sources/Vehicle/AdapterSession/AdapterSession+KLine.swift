import OBDWire

/// The times of a K-line (ISO 9141-2, 6.2.2; ISO 14230-2, 4.4.1): an ECU answers within P2max, 50 ms, and P3min, 55 ms,
/// separates the last answer from the next request.
///
/// According to the ELM327's data sheet, the chip itself ensures P3min since its version 2.0; the length is one of the
/// parameters that it lists (``PauseParameter``). An adapter that lists it gets the next request as soon as its prompt is
/// read, so the delay of line and bridge is part of the pause. For all others, the session waits for P3min after the last
/// byte.
///
/// An adapter may list a pause that it does not make. An ECU then misses requests. So a request that was sent within P3min
/// and not answered is repeated after P3min; an answer to that is evidence against the adapter.
extension AdapterSession {
  /// ATST0E, 57 ms: the wait for more ECUs is almost the whole of P3min.
  private static let waitOnKLine: UInt8 = 0x0E
  /// ATST0D, 53 ms: longer than P2max, and short enough that the next request arrives within the adapter's pause.
  private static let waitBeforePause: UInt8 = 0x0D
  private static let doubtsLimit = 3
  /// Early requests answered in a row that prove the adapter's pause.
  private static let proofLimit = 20

  /// ATST if no special wait is needed.
  var baseWait: UInt8 {
    let isKept = connection?.pause.isKeptByAdapter ?? false
    switch vehicle.answerTime.pace {
    case .slowest: return AdapterSettings.longestWait
    case .usual where vehicle.isKLine: return isKept ? Self.waitBeforePause : Self.waitOnKLine
    case .usual, .slow: return AdapterSettings.usualWait
    }
  }

  /// The earliest time of the next request.
  func earliestRequest(_ connection: Connection) -> Int64 {
    let isEarlyAllowed =
      connection.pause.isKeptByAdapter && connection.pause.repeated == nil && connection.presenceCheck == nil
    return vehicle.isKLine && !isEarlyAllowed ? dialogue.bytes.lastContentAt + Limit.p3min : 0
  }

  /// Whether the adapter should be asked for its parameters: on a K-line, unless it is known not to make the pause that it
  /// lists, or not to list any.
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

  /// Looks for evidence for or against the adapter's pause in the reply to a request of the plan.
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
      // An early request that is answered is evidence for the adapter: single answers are lost on any bus.
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
