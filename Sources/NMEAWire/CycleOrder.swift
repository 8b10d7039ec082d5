/// Learns whether a receiver's cycle begins with its sentences without a time, or ends with them.
///
///     GGA(t) RMC(t) GSA │ GGA(t+1) RMC(t+1) GSA │          most receivers
///     GSA RMC(t) GGA(t) │ GSA RMC(t+1) GGA(t+1) │          some
///
/// Between the last sentence of one time and the first of the next, the order alone does not tell which of the two a GSA
/// belongs to. What it repeats does: the HDOP of GSA is GGA's, the speed of VTG is RMC's. Each time the two epochs
/// differ in it, one of them has the vote. Without a vote the sentence belongs to the epoch that is under way.
struct CycleOrder: BitwiseCopyable {
  /// What one epoch says of the values that sentences without a time repeat.
  struct Evidence: BitwiseCopyable {
    /// HDOP of GGA or GNS.
    var hdop: Decimal?
    /// Speed of RMC, knots.
    var knots: Decimal?
    /// False when the receiver says that there is no fix, nil when it says nothing.
    var isValid: Bool?
  }

  private var votes: Int8 = 0
  private var before = Evidence()
  private var between = UntimedSentences()

  /// A few epochs of the one order are enough to believe it, and as many of the other to leave it.
  private static var mostVotes: Int8 { 4 }

  /// Sentences without a time belong to the epoch that follows them.
  var isLeading: Bool { mutating get { votes > 0 } }

  /// An epoch has closed: it is the second witness for the sentences before it, the first for those behind it.
  mutating func epochClosed(_ evidence: Evidence, followedBy group: inout UntimedSentences) {
    if !between.isEmpty {
      vote(between.hdop, before.hdop, evidence.hdop)
      vote(between.knots, before.knots, evidence.knots)
      if between.mode != 0, let first = before.isValid, let second = evidence.isValid, first != second {
        count(second == (between.mode > 1))
      }
    }
    before = evidence
    between = group
  }

  private mutating func vote(_ value: Decimal?, _ first: Decimal?, _ second: Decimal?) {
    guard let value = value?.double(), let first = first?.double(), let second = second?.double() else { return }
    guard first != second, value == first || value == second else { return }
    count(value == second)
  }

  private mutating func count(_ leading: Bool) {
    votes = leading ? min(votes + 1, Self.mostVotes) : max(votes - 1, -Self.mostVotes)
  }
}
