import Ports

/// A handler that calls one closure.
struct Script: PortHandler, ~Copyable {
  enum Event: Equatable {
    case opened
    case received(String)
    case deadlinePassed
    case wokenUp
    case sent(String)
    case refused(Int)
  }
  private(set) var events: [Event] = []
  private(set) var moments: [Int64] = []
  private(set) var text = ""
  var keepsText = true
  var hasOtherRates = true
  private let react: (Event, inout PortActions) -> Void

  init(_ react: @escaping (Event, inout PortActions) -> Void) { self.react = react }

  mutating func opened(at now: Int64, _ actions: inout PortActions) { record(.opened, now, &actions) }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    guard keepsText else { return }
    text += string(bytes)
    record(.received(string(bytes)), now, &actions)
  }

  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) { record(.deadlinePassed, now, &actions) }

  mutating func wokenUp(at now: Int64, _ actions: inout PortActions) { record(.wokenUp, now, &actions) }

  mutating func sent(_ bytes: Span<UInt8>, at now: Int64) {
    var none = PortActions()
    record(.sent(string(bytes)), now, &none)
  }

  mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool {
    record(.refused(baud), now, &actions)
    return hasOtherRates
  }

  private mutating func record(_ event: Event, _ now: Int64, _ actions: inout PortActions) {
    events.append(event)
    moments.append(now)
    react(event, &actions)
  }

  private func string(_ bytes: Span<UInt8>) -> String {
    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
  }
}
