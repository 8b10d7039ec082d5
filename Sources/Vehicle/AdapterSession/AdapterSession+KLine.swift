import OBDWire

/// The times of a K-line (ISO 9141-2, 6.2.2; ISO 14230-2, 4.4.1): an ECU answers within P2max, 50 ms, and P3min, 55 ms,
/// lies between the last answer and the next request.
///
/// Who keeps P3min? The ELM327's data sheet says that the chip does, since its version 2.0, and for how long is one of the
/// parameters that it lists (``PauseParameter``). An adapter that lists it is sent the next request as soon as its prompt
/// is there: what line and bridge take then lies within the pause. All others are kept from asking too soon by us, who
/// count from the last byte that was read.
extension AdapterSession {
  /// ATST0E, 57 ms: the wait for more ECUs is nearly all of P3min already.
  private static let waitOnKLine: UInt8 = 0x0E
  /// ATST0D, 53 ms: longer than P2max, and so much shorter than the adapter's pause that the next request is there when it
  /// ends.
  private static let waitBeforePause: UInt8 = 0x0D
  private static let pauseDoubtsLimit = 3

  var isKLine: Bool { bus == .iso9141 || bus == .kwp }

  /// ATST where nothing special is asked.
  var waitForECUs: UInt8 {
    if needsLongestWait { return Self.longestWait }
    guard isKLine, !isSlow else { return Self.usualWait }
    return keepsPause ? Self.waitBeforePause : Self.waitOnKLine
  }

  /// No request goes out before.
  var earliestRequest: Int64 {
    isKLine && (!keepsPause || doubted >= 0 || rollCall != nil) ? lastContentAt + Limit.p3min : 0
  }

  /// The answer to ATPPS.
  mutating func learnPause(_ reply: ReplyObserver) {
    // Of a damaged list nothing is believed.
    keepsPause = reply.keepsPause == true && !reply.isDamaged
    pauseDoubts = 0
    if keepsPause { learn(.keepsPause) } else { memory.quirks.remove(.keepsPause) }
    baseWait = waitForECUs
  }

  /// An adapter may list what it does not do: an ECU then misses what it is asked too soon. So a request that was sent
  /// within P3min and not answered is sent once more behind it, and an answer then speaks against the adapter.
  mutating func weighPause(_ index: Int, _ reply: ReplyObserver, at now: Int64) {
    guard keepsPause, index != doubted else {
      if index == doubted, reply.messages > 0 { pauseDoubts += 1 }
      doubted = -1
      if pauseDoubts >= Self.pauseDoubtsLimit { distrustPause() }
      return
    }
    // An early request that is answered speaks for the adapter: single answers are lost on any bus.
    if isEarly, reply.messages > 0 { pauseDoubts = 0 }
    guard isEarly, reply.failed(.noData) else { return }
    doubted = index
    plan.update(index) { $0.due = now }
  }

  private mutating func distrustPause() {
    keepsPause = false
    pauseDoubts = 0
    memory.quirks.remove(.keepsPause)
    learn(.breaksPause)
    baseWait = waitForECUs
  }
}
