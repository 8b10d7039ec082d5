import Testing

@testable import Ports

@Suite struct PairingPlanTests {
  private static func plan(_ pin: String? = nil, isLowEnergy: Bool = false) -> PairingPlan {
    PairingPlan(PairingRequest(address: Scene.address, isLowEnergy: isLowEnergy, pin: pin))
  }

  @Test func the_usual_pins_are_tried_alternately_and_then_abandoned() {
    var plan = Self.plan()
    var tried: [PairingPlan.Answer] = []
    while plan.state == .open {
      tried.append(plan.answer(.pin))
      // If BlueZ asks again during one attempt, the answer is the same.
      #expect(plan.answer(.pin) == tried.last)
      plan.refused(at: 0)
    }
    #expect(tried == [.pin("1234"), .pin("0000"), .pin("1234"), .pin("0000")])
    #expect(plan.answer(.pin) == .no)
    #expect([plan.takesNoPIN(), plan.takesNoPIN()] == [true, false], "told once")
  }

  @Test func a_configured_pin_is_the_only_one() {
    var plan = Self.plan("834921")
    var tried: [PairingPlan.Answer] = []
    while plan.state == .open {
      tried.append(plan.answer(.passkey))
      plan.refused(at: 0)
    }
    #expect(tried == [.passkey(834_921), .passkey(834_921)])
  }

  @Test func a_passkey_is_a_number_of_six_digits() {
    let letters = Self.plan("OBD2")
    #expect(letters.answer(.passkey) == .no)
    #expect(letters.answer(.pin) == .pin("OBD2"))
    let long = Self.plan("1234567")
    #expect(long.answer(.passkey) == .no)
    let usual = Self.plan()
    #expect(usual.answer(.passkey) == .passkey(1234))
  }

  @Test func pauses_between_pairing_attempts_grow_to_a_limit() {
    var plan = Self.plan()
    plan.refused(at: 0)
    let first = plan.due
    plan.refused(at: 0)
    #expect(first > 0 && plan.due > first)
    var away = Self.plan()
    #expect([away.missed(at: 0), away.missed(at: 0)] == [true, false], "told once")
    var due = away.due
    for _ in 0..<100 {
      _ = away.missed(at: 0)
      #expect(away.due >= due)
      due = away.due
    }
    #expect(due == 300_000_000_000)
    #expect(away.state == .open)
  }

  @Test func an_adapter_without_a_pin_is_not_paired_while_it_connects() {
    let request = PairingRequest(address: Scene.address, isLowEnergy: false)
    var plan = PairingPlan(request, notBefore: 20)
    #expect(plan.due == 20)
    plan.connected(at: 100)
    #expect(plan.due > 100 && plan.hasConnected)
    let isNews = plan.missed(at: 1_000)
    #expect(!isNews, "it works without")
    let named = PairingPlan(PairingRequest(address: Scene.address, isLowEnergy: false, pin: "1"), notBefore: 20)
    #expect(named.due == .min)
  }

  /// Such a request exists only after the adapter has rejected the link.
  @Test func a_bluetooth_le_adapter_is_paired_at_once() {
    let request = PairingRequest(address: Scene.address, isLowEnergy: true)
    #expect(PairingPlan(request, notBefore: 20).due == .min)
  }

  @Test func a_postponed_pairing_does_not_count_as_an_attempt() {
    var plan = Self.plan(isLowEnergy: true)
    for moment in 1...10 as ClosedRange<Int64> {
      plan.postpone(until: moment)
      #expect(plan.due == moment)
    }
    #expect(plan.answer(.passkey) == .passkey(1234))
    let isNews = plan.missed(at: 0)
    #expect(isNews)
  }
}
