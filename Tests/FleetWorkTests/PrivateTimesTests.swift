import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetWork

@Suite struct PrivateTimesTests {
  @Test(arguments: 1...20) func random_windows_contain_the_same_times_as_each_by_itself(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<100 {
      let windows = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        let from = Int64.random(in: 0...40, using: &random)
        let to = Int.random(in: 0..<6, using: &random) == 0 ? nil : from + Int64.random(in: 0...15, using: &random)
        return VehicleWindow(
          "VAN-1", from: Timestamp(nanoseconds: from), to: to.map { Timestamp(nanoseconds: $0) })
      }
      let times = PrivateTimes(windows.shuffled(using: &random))
      for second in Int64(-1)...60 {
        let time = Timestamp(nanoseconds: second)
        #expect(times.contains(time) == windows.contains { $0.contains(time) })
      }
    }
  }
}
