import Fusion
import NMEAWire
import Testing

/// Choice among the fixes of several receivers.
@Suite struct FixChoiceTests {
  /// The choice of a receiver, with properties that tests can check.
  private final class Receivers {
    private var choice = FixChoice()
    var chosen: Int? { choice.chosen }
    func add() -> Int { choice.add() }
    func remove(_ source: Int) { choice.remove(source) }
    func update(_ fix: Fix, from source: Int, at time: Int64) -> Bool { choice.update(fix, from: source, at: time) }
  }

  private func fix(_ type: FixType, hdop: Double? = 1) -> Fix {
    var fix = Fix()
    fix.type = type
    fix.hdop = hdop
    if type != .none { (fix.latitude, fix.longitude) = (48, 11) }
    return fix
  }

  private func seconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

  @Test func a_single_receiver_counts_with_and_without_a_fix() {
    let choice = Receivers()
    let only = choice.add()
    #expect(choice.update(fix(.none), from: only, at: 0))
    #expect(choice.update(fix(.threeD), from: only, at: seconds(1)))
    #expect(choice.update(fix(.none), from: only, at: seconds(2)))
  }

  @Test func a_receiver_without_a_fix_gives_way_to_one_with_it() {
    let choice = Receivers()
    let (first, second) = (choice.add(), choice.add())
    #expect(choice.update(fix(.none), from: first, at: 0))
    #expect(choice.update(fix(.threeD), from: second, at: seconds(0.1)))
    #expect(!choice.update(fix(.none), from: first, at: seconds(1)))
  }

  @Test func two_equal_receivers_do_not_alternate() {
    let choice = Receivers()
    let (first, second) = (choice.add(), choice.add())
    for second_ in 0..<100 {
      #expect(choice.update(fix(.threeD), from: first, at: seconds(Double(second_))))
      #expect(!choice.update(fix(.threeD), from: second, at: seconds(Double(second_) + 0.5)))
    }
  }

  @Test func a_silent_receiver_is_replaced_after_a_second_and_a_half() {
    let choice = Receivers()
    let (first, second) = (choice.add(), choice.add())
    _ = choice.update(fix(.rtkFixed), from: first, at: 0)
    #expect(!choice.update(fix(.twoD), from: second, at: seconds(1.4)))
    #expect(choice.update(fix(.twoD), from: second, at: seconds(1.6)))
    #expect(choice.chosen == second)
  }

  @Test func a_better_receiver_is_chosen_after_ten_seconds() {
    let choice = Receivers()
    let (first, second) = (choice.add(), choice.add())
    var changedAt: Int?
    for step in 0..<40 {
      let time = Double(step)
      _ = choice.update(fix(.threeD), from: first, at: seconds(time))
      // RTK for a short time at 3 s, and permanently from 20 s on.
      let type: FixType = step == 3 || step >= 20 ? .rtkFixed : .threeD
      if choice.update(fix(type), from: second, at: seconds(time + 0.5)), changedAt == nil { changedAt = step }
    }
    #expect(changedAt == 30)
  }

  @Test func the_receiver_with_the_clearly_lower_dilution_is_chosen() {
    let choice = Receivers()
    let (first, second) = (choice.add(), choice.add())
    for step in 0..<12 {
      _ = choice.update(fix(.threeD, hdop: 2.4), from: first, at: seconds(Double(step)))
      _ = choice.update(fix(.threeD, hdop: 0.9), from: second, at: seconds(Double(step) + 0.5))
    }
    #expect(choice.chosen == second)
  }

  @Test func an_unplugged_receiver_is_replaced() {
    let choice = Receivers()
    let (first, second) = (choice.add(), choice.add())
    _ = choice.update(fix(.threeD), from: first, at: 0)
    choice.remove(first)
    #expect(choice.update(fix(.twoD), from: second, at: 1))
    #expect(choice.add() == first)
  }
}
