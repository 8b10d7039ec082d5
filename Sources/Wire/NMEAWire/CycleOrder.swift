/// Learns whether a receiver's cycle begins or ends with its sentences without a time.
///
///     GGA(t) RMC(t) GSA │ GGA(t+1) RMC(t+1) GSA │          most receivers
///     GSA RMC(t) GGA(t) │ GSA RMC(t+1) GGA(t+1) │          some
///
/// The order alone does not show whether a GSA between two times belongs to the earlier or the later one. The values
/// that it repeats do: GSA repeats GGA's HDOP, and VTG repeats RMC's speed. If these values differ between the two
/// epochs, the epoch with the matching value gets a vote. Without votes, the sentence belongs to the earlier epoch.
struct CycleOrder: BitwiseCopyable {
  /// The values of one epoch that sentences without a time repeat.
  struct Evidence: BitwiseCopyable {
    /// HDOP of GGA or GNS.
    var hdop: Decimal?
    /// Speed of RMC, knots.
    var knots: Decimal?
    /// `false` if the receiver reports that it has no fix; `nil` if it reports nothing.
    var isValid: Bool?
  }

  private var votes: Int8 = 0
  private var before = Evidence()
  private var between = UntimedSentences()

  /// The limit of votes. A few epochs are enough to change the decision in either direction.
  private static var mostVotes: Int8 { 4 }

  /// Whether sentences without a time belong to the epoch that follows them.
  var isLeading: Bool { mutating get { votes > 0 } }

  /// Counts the votes when an epoch ends, and stores the sentences after it for the next vote.
  ///
  /// - Parameters:
  ///   - evidence: the values of the epoch that ended. It follows the sentences stored before and precedes those in
  ///     `group`.
  ///   - group: the sentences without a time that follow the epoch.
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
