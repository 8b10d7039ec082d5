import Foundation
import Testing

@testable import Geofencing

@Suite struct TrigonometryTests {
  @Test func sine_and_cosine_are_those_of_the_c_library() {
    var worst = 0.0
    for step in -36_000...36_000 {
      let degrees = Double(step) * 0.005 + 0.000_123
      let (sine, cosine) = sineAndCosine(degrees: degrees)
      let radians = degrees * Double.pi / 180
      worst = max(worst, abs(sine - sin(radians)), abs(cosine - cos(radians)))
    }
    // The C library gets a rounded angle in radians. At 180 degrees the rounding error is up to 7e-16.
    #expect(worst < 1e-15, "\(worst)")
    #expect(sineAndCosine(degrees: 90) == (1, 0))
    #expect(sineAndCosine(degrees: 180) == (0, -1))
    #expect(sineAndCosine(degrees: -90) == (-1, 0))
    #expect(sineAndCosine(degrees: 0) == (0, 1))
  }
}
