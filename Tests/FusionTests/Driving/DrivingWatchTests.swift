import Fusion
import Telemetry
import Testing

@Suite struct DrivingWatchTests {
  /// Plays speeds in km/h at times in s, and returns the reported events. The vehicle reports whole km/h, rounded down.
  private func events(
    _ samples: [(seconds: Double, speed: Double)], _ change: (inout DrivingOptions) -> Void = { _ in }
  ) -> [DrivingEvent] {
    var options = DrivingOptions()
    change(&options)
    var watch = DrivingWatch(options)
    var found: [DrivingEvent] = []
    for (seconds, speed) in samples {
      watch.speed(speed.rounded(.down), at: Int64(seconds * 1e9))
      while let event = watch.next() { found.append(event) }
    }
    watch.finish()
    while let event = watch.next() { found.append(event) }
    return found
  }

  /// Samples the speeds of a drive at a period that varies at random. Each speed is up to `age` s old when its answer
  /// arrives.
  private func sampled(
    every period: Double, jitter: Double, age: Double, seconds: Double, seed: UInt64, _ speed: (Double) -> Double
  ) -> [(seconds: Double, speed: Double)] {
    var random = Lehmer(state: seed)
    var out: [(seconds: Double, speed: Double)] = []
    var time = 0.0
    while time < seconds {
      let old = age > 0 ? Double.random(in: 0...age, using: &random) : 0
      out.append((time, max(0, speed(time - old))))
      time += period * (1 + (jitter > 0 ? Double.random(in: -jitter...jitter, using: &random) : 0))
    }
    return out
  }

  /// Returns a speed that decreases from 90 km/h at `rate` m/s² from second 10 on, to 0 or for `duration`.
  private func braking(_ rate: Double, for duration: Double = 100) -> (Double) -> Double {
    { time in 90 - 3.6 * rate * min(max(time - 10, 0), duration) }
  }

  private func accelerating(_ rate: Double, for duration: Double = 3) -> (Double) -> Double {
    { time in 20 + 3.6 * rate * min(max(time - 10, 0), duration) }
  }

  // MARK: Harsh

  @Test(arguments: [1, 0.5, 0.1, 0.05]) func a_hard_stop_is_one_event_at_any_rate_of_polling(period: Double) {
    for seed in 1...20 {
      let found = events(sampled(every: period, jitter: 0.1, age: 0.05, seconds: 40, seed: UInt64(seed), braking(6)))
      #expect(found.count == 1)
      guard case .harsh(let acceleration, let threshold, let from, let to, let seconds)? = found.first else { continue }
      #expect(acceleration < -5 && acceleration > -7.5, "\(acceleration)")
      #expect(threshold == 3.5)
      #expect(from > to && seconds >= 0.9 && seconds <= 3.2)
      #expect(abs((to - from) / 3.6 / seconds - acceleration) < 1e-9, "its own figures say it")
    }
  }

  @Test(arguments: [1, 0.5, 0.1]) func a_hard_start_is_one_event(period: Double) {
    for seed in 1...20 {
      let speeds = sampled(every: period, jitter: 0.1, age: 0.05, seconds: 30, seed: UInt64(seed), accelerating(5))
      let found = events(speeds)
      #expect(found.count == 1)
      guard case .harsh(let acceleration, 3.0, _, _, _)? = found.first else {
        Issue.record("\(found)")
        continue
      }
      #expect(acceleration > 3.5)
    }
  }

  @Test(arguments: [1, 0.5, 0.2, 0.1, 0.05]) func braking_below_the_threshold_is_not_reported(period: Double) {
    // The deceleration is 95 % of the threshold; speeds are whole km/h, times vary by a fifth, and values are up to 0.1
    // s old.
    for seed in 1...200 {
      let slow = sampled(every: period, jitter: 0.2, age: 0.1, seconds: 40, seed: UInt64(seed), braking(3.5 * 0.95))
      #expect(events(slow).isEmpty)
      let start = sampled(
        every: period, jitter: 0.2, age: 0.1, seconds: 30, seed: UInt64(seed), accelerating(3 * 0.95, for: 8))
      #expect(events(start).isEmpty)
    }
  }

  @Test func steps_of_one_kilometre_an_hour_are_no_manoeuvre() {
    for seed in 1...20 {
      var random = Lehmer(state: UInt64(seed))
      let speeds = (0..<6_000).map { index in
        (seconds: Double(index) / 10, speed: 50 + Double(Int.random(in: 0...1, using: &random)))
      }
      #expect(events(speeds).isEmpty)
    }
  }

  @Test func an_ecu_that_renews_its_speed_once_a_second_is_not_harsh_at_ten_readings_a_second() {
    // Its value jumps by the change of one second.
    let speeds = (0..<400).map { index in
      let time = Double(index) / 10
      return (seconds: time, speed: max(0, braking(3)((time + 0.05).rounded(.down))))
    }
    #expect(events(speeds).isEmpty)
  }

  @Test(arguments: [0.2, 0.5, 1]) func a_slow_ecu_is_judged_by_when_its_values_changed(renewal: Double) {
    for seed in 1...50 {
      let slow = { (rate: Double) in
        { (time: Double) in self.braking(rate)((time / renewal).rounded(.down) * renewal) }
      }
      for period in [0.1, 0.2] {
        let gentle = sampled(every: period, jitter: 0.1, age: 0, seconds: 40, seed: UInt64(seed), slow(3.2))
        #expect(events(gentle).isEmpty)
        let hard = sampled(every: period, jitter: 0.1, age: 0, seconds: 40, seed: UInt64(seed), slow(7))
        #expect(events(hard).count == 1)
      }
    }
  }

  @Test func a_gap_in_the_readings_is_not_a_manoeuvre() {
    #expect(events([(0, 90), (1, 90), (2, 90), (8, 20), (9, 20), (10, 20)]).isEmpty)
  }

  @Test func a_single_wrong_speed_reading_is_ignored() {
    #expect(events([(0, 90), (1, 90), (2, 0), (3, 90), (4, 90), (5, 90), (6, 90)]).isEmpty)
    #expect(events([(0, 30), (1, 30), (2, 0), (3, 30), (4, 30), (5, 30), (6, 30)]).isEmpty)
    #expect(events([(0, 30), (1, 30), (2, 255), (3, 30), (4, 30), (5, 30), (6, 30)]).isEmpty)
    let tenth = (0..<100).map { index in (seconds: Double(index) / 10, speed: index == 50 ? 0.0 : 30.0) }
    #expect(events(tenth).isEmpty)
  }

  @Test func two_stops_are_two_events() {
    let speeds = (0..<60).map { index -> (seconds: Double, speed: Double) in
      let time = Double(index)
      let since = time.truncatingRemainder(dividingBy: 30)
      return (
        time, since < 10 ? 80 : since < 14 ? 80 - (since - 10) * 20 : since < 20 ? 20 : min(80, 20 + (since - 20) * 6)
      )
    }
    #expect(events(speeds).count == 2)
  }

  @Test func disabled_driving_events_are_not_reported() {
    let speeds = sampled(every: 1, jitter: 0, age: 0, seconds: 40, seed: 1, braking(6))
    #expect(events(speeds) { $0.harshBraking = nil }.isEmpty)
    #expect(events(speeds) { $0.harshBraking = 7 }.isEmpty)
  }

  @Test func the_record_carries_the_figures() {
    let event = DrivingEvent.harsh(acceleration: -5, threshold: 3.5, fromSpeed: 54, toSpeed: 36, seconds: 1)
    #expect(event.record.event == .harshBraking)
    #expect(event.record.figures.map(\.name) == ["acceleration", "threshold", "fromSpeed", "toSpeed", "seconds"])
  }

  // MARK: Overspeed

  private func steady(_ speed: Double, _ seconds: ClosedRange<Int>) -> [(seconds: Double, speed: Double)] {
    seconds.map { (Double($0), speed) }
  }

  @Test func overspeed_is_reported_after_its_minimum_time() {
    let found = events(steady(128, 0...20) + steady(135, 21...40)) { $0.speedLimit = 130 }
    #expect(found == [.overspeed(speed: 135, limit: 130, maxSpeed: 135, seconds: 10)])
  }

  @Test func a_short_overtaking_is_not_overspeed() {
    #expect(events(steady(128, 0...20) + steady(135, 21...30) + steady(128, 31...60)) { $0.speedLimit = 130 }.isEmpty)
  }

  @Test func at_the_limit_is_not_above_it() {
    #expect(events(steady(130, 0...60)) { $0.speedLimit = 130 }.isEmpty)
  }

  @Test func a_short_dip_does_not_report_overspeed_again() {
    let found = events(steady(135, 0...20) + steady(129, 21...25) + steady(135, 26...60)) { $0.speedLimit = 130 }
    #expect(found.count == 1)
    let again = events(steady(135, 0...20) + steady(129, 21...40) + steady(135, 41...60)) { $0.speedLimit = 130 }
    #expect(again.count == 2)
  }

  @Test func the_speed_limit_of_a_fence_applies_if_it_is_lower() {
    var options = DrivingOptions()
    options.speedLimit = 130
    var watch = DrivingWatch(options)
    var found: [DrivingEvent] = []
    for second in 0...60 {
      // Each fix sets the limit again.
      watch.setFenceLimit(second < 30 ? 30 : nil, at: Int64(second) * 1_000_000_000)
      watch.speed(50, at: Int64(second) * 1_000_000_000)
      while let event = watch.next() { found.append(event) }
    }
    #expect(found == [.overspeed(speed: 50, limit: 30, maxSpeed: 50, seconds: 10)])
  }

  @Test func a_speed_limit_set_before_the_first_reading_is_ignored() {
    var watch = DrivingWatch(DrivingOptions())
    watch.setFenceLimit(nil, at: .min)
    watch.speed(50, at: 60_000_000_000)
    watch.setFenceLimit(30, at: .min)
    watch.speed(50, at: 61_000_000_000)
    #expect(watch.next() == nil)
  }

  @Test func a_fences_speed_limit_lapses_without_a_position() {
    var watch = DrivingWatch(DrivingOptions())
    watch.setFenceLimit(30, at: 0)
    var found = 0
    for second in 60...120 {
      watch.speed(50, at: Int64(second) * 1_000_000_000)
      while watch.next() != nil { found += 1 }
    }
    #expect(found == 0)
  }

  @Test func the_receivers_speed_is_used_if_the_vehicle_reports_none() {
    var options = DrivingOptions()
    options.speedLimit = 130
    var watch = DrivingWatch(options)
    var found = 0
    for second in 0...30 {
      let now = Int64(second) * 1_000_000_000
      watch.speed(100, at: now)
      watch.groundSpeed(140, at: now)
      while watch.next() != nil { found += 1 }
    }
    #expect(found == 0)
    for second in 31...60 {
      watch.groundSpeed(140, at: Int64(second) * 1_000_000_000)
      while watch.next() != nil { found += 1 }
    }
    #expect(found == 1)
  }

  // MARK: Idling

  private func idle(_ parts: [(seconds: Int, rpm: Double, speed: Double)]) -> [DrivingEvent] {
    var watch = DrivingWatch()
    var found: [DrivingEvent] = []
    var second = 0
    for part in parts {
      for _ in 0..<part.seconds {
        let now = Int64(second) * 1_000_000_000
        watch.engineSpeed(part.rpm, at: now)
        watch.speed(part.speed, at: now)
        while let event = watch.next() { found.append(event) }
        second += 1
      }
    }
    return found
  }

  @Test func idling_is_reported_once() {
    #expect(idle([(1_000, 800, 0)]) == [.idling(seconds: 300, limit: 300, rpm: 800)])
    #expect(idle([(299, 800, 0), (10, 800, 5), (299, 800, 0)]).isEmpty)
    #expect(idle([(400, 800, 0), (10, 800, 5), (400, 800, 0)]).count == 2)
    #expect(idle([(1_000, 0, 0)]).isEmpty)
  }

  // MARK: Voltage

  private func volts(_ values: [Double], every period: Double = 10, module: Bool = false) -> [DrivingEvent] {
    var watch = DrivingWatch()
    var found: [DrivingEvent] = []
    for (index, value) in values.enumerated() {
      let now = Int64(Double(index) * period * 1e9)
      if module { watch.controlModuleVoltage(value, at: now) } else { watch.batteryVoltage(value, at: now) }
      while let event = watch.next() { found.append(event) }
    }
    return found
  }

  private func held(_ value: Double, _ count: Int) -> [Double] { [Double](repeating: value, count: count) }

  @Test func a_low_battery_is_reported_once() {
    #expect(volts([12.6] + held(11.7, 60)) == [.lowVoltage(voltage: 11.7, limit: 11.8, seconds: 60)])
    #expect(volts(held(11.5, 60), module: true).count == 1)
  }

  @Test func a_voltage_drop_during_cranking_is_not_a_low_voltage() {
    #expect(volts([12.4, 12.4, 9.6, 10.8, 14.2, 14.2, 14.2], every: 2).isEmpty)
  }

  @Test func a_voltage_around_the_limit_is_reported_once() {
    #expect(volts([12.6] + (0..<200).map { $0 / 10 % 2 == 0 ? 11.7 : 11.9 }).count == 1)
    #expect(volts([12.6] + held(11.7, 20) + held(12.6, 20) + held(11.7, 20)).count == 2)
  }

  @Test func an_implausible_voltage_is_ignored() {
    #expect(volts(held(11.0, 100)).isEmpty)
    #expect(volts(held(0.0, 100)).isEmpty)
  }

  @Test func thresholds_apply_to_half_the_voltage_of_a_24_volt_truck() {
    #expect(volts([25.4] + held(24.4, 60)).isEmpty)
    #expect(volts([25.4] + held(23.2, 60)) == [.lowVoltage(voltage: 11.6, limit: 11.8, seconds: 60)])
  }

  // MARK: Records

  @Test func a_harsh_stop_is_a_driving_record() throws {
    var session = Session()
    for (second, speed) in [90, 90, 72, 54, 36, 36, 36, 36].enumerated() {
      session.read("speed", Double(speed), at: Double(second))
    }
    let record = try #require(try session.finish(at: 9).of("driving").first)
    #expect(record.text("event") == "harshBraking")
    #expect(record.number("acceleration") == -5)
    #expect(record.number("threshold") == 3.5)
    #expect(record.number("fromSpeed") == 90)
    #expect(record.number("toSpeed") == 36)
    #expect(record.number("seconds") == 3)
  }

  @Test func disabled_driving_records_are_not_written() throws {
    var session = Session { $0.driving = nil }
    for (second, speed) in [90, 90, 72, 54, 36, 36, 36, 36].enumerated() {
      session.read("speed", Double(speed), at: Double(second))
    }
    #expect(try session.finish(at: 9).of("driving").isEmpty)
  }
}
