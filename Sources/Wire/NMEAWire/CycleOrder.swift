/// Learns from a receiver's output whether each cycle of sentences begins or ends with the sentences that have no time.
///
///     GGA(t) RMC(t) GSA │ GGA(t+1) RMC(t+1) GSA │          most receivers
///     GSA RMC(t) GGA(t) │ GSA RMC(t+1) GGA(t+1) │          some
///
/// The order alone does not show whether a GSA between two times belongs to the earlier or the later one. The values
/// show it: GSA repeats the HDOP of its epoch's GGA, and VTG repeats the speed of its epoch's RMC. If these values
/// differ between the two epochs, the epoch with the matching value gets a vote. Without votes, the sentence belongs to
/// the earlier epoch.
struct CycleOrder: BitwiseCopyable {
  /// Those values of one epoch that the sentences without a time (GSA, VTG) repeat.
  struct Evidence: BitwiseCopyable {
    /// HDOP of the epoch's GGA or GNS; `nil` if unknown.
    var hdop: Decimal?
    /// Speed in the epoch's RMC, knots; `nil` if unknown.
    var knots: Decimal?
    /// Whether the receiver reports a fix; `false` if it reports that there is none, `nil` if it reports neither.
    var isValid: Bool?
  }

  private var votes: Int8 = 0
  private var before = Evidence()
  private var between = UntimedSentences()

  /// The maximum number of votes for either order. It is low, so that a few epochs are enough to change the decision.
  private static var mostVotes: Int8 { 4 }

  /// Whether sentences without a time belong to the epoch that follows them.
  var isLeading: Bool { mutating get { votes > 0 } }

  /// Counts the votes when an epoch ends, and stores the sentences without a time that follow the epoch, for the next
  /// vote.
  ///
  /// - Parameters:
  ///   - evidence: the values of the epoch that ended. The epoch is between the stored sentences and those in `group`.
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
