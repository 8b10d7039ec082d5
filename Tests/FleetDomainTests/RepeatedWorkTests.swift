import FleetDomain
import Testing

@Suite struct RepeatedWorkTests {
  private struct Fault: Error, Equatable {
    let round: Int
  }

  /// Runs work in a task of its own, so that the work can cancel its task.
  private static func run(_ work: @escaping @Sendable () async -> [Fault]) async -> [Fault] {
    await Task { await work() }.value
  }

  private static func cancel() { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }

  @Test func reports_the_first_of_several_failures_in_a_row() async {
    let reported = await Self.run {
      var (round, reported) = (0, [Fault]())
      await RepeatedWork.run(every: .zero) {
        round += 1
        if round == 5 { Self.cancel() }
        if round != 3 { throw Fault(round: round) }
      } onFailure: {
        if let fault = $0 as? Fault { reported.append(fault) }
      }
      return reported
    }
    // Round 3 succeeds. The task is cancelled in round 5, whose error is therefore not reported.
    #expect(reported == [Fault(round: 1), Fault(round: 4)])
  }

  @Test(.timeLimit(.minutes(1))) func continues_without_a_pause_while_work_is_left() async {
    let reported = await Self.run {
      var (round, reported) = (0, [Fault]())
      await RepeatedWork.runRounds(pause: .seconds(86_400)) {
        round += 1
        if round == 3 { Self.cancel() }
        return (hasMore: true, failure: round < 3 ? Fault(round: round) : nil)
      } onFailure: {
        if let fault = $0 as? Fault { reported.append(fault) }
      }
      return reported
    }
    #expect(reported == [Fault(round: 1)])
  }
}
