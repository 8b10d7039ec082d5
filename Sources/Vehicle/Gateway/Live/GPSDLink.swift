import Fusion
import NMEAWire
import Ports

/// A client of gpsd: asks for its reports, and makes sure that it is still there.
///
/// gpsd says nothing while its receivers say nothing, and a connection may be dead without a sign: after
/// ``quiet`` it is asked for its version, which it always answers.
struct GPSDLink: LinkDriver, ~Copyable {
  static let quiet: Int64 = 10_000_000_000
  static let answer: Int64 = 5_000_000_000
  /// A connection that gives up is tried again after this.
  private static let pause: Int64 = 2_000_000_000

  private let control: LinkControl
  private var reader = GPSDReader()
  private var ear: Ear
  private var isAsked = false
  private(set) var reopenNotBefore: Int64?

  private struct Ear: GPSDHandler, ~Copyable {
    var outlet: FixOutlet
    var now: Int64 = 0
    var isConnected = false
    private var saidMalformed = false
    private var saidRefused = false
    /// Lines that could not be read and are not told yet; when that was done last.
    private var unreadable = 0
    private var unreadableTold: Int64 = .min / 2

    init(_ outlet: consuming FixOutlet) { self.outlet = outlet }

    mutating func fix(_ fix: Fix) {
      tellUnreadable()
      outlet.put(.fix(fix, began: now), at: now)
    }

    /// Once a second at most: what is sent fast must not take the place of fixes.
    private mutating func tellUnreadable(isLast: Bool = false) {
      guard unreadable > 0, isLast || now - unreadableTold >= 1_000_000_000 else { return }
      outlet.put(.unreadable(lines: unreadable), at: now)
      unreadable = 0
      unreadableTold = now
    }

    mutating func said(_ notice: GPSDNotice) {
      switch notice {
      case .version(let release):
        guard !isConnected else { return }
        isConnected = true
        saidMalformed = false
        outlet.put(.connected(ShortText(Array("gpsd \(release)".utf8).span)), at: now)
      case .error(let message):
        // Once for a connection.
        guard !saidRefused else { return }
        saidRefused = true
        outlet.put(.refused(ShortText(Array(message.utf8).span)), at: now)
      case .malformed:
        // A gpsd that has greeted is one, and its other lines are good.
        if isConnected {
          unreadable += 1
          return tellUnreadable()
        }
        // Once until gpsd has greeted: something else may listen on that port, say much, and hang up.
        guard !saidMalformed else { return }
        saidMalformed = true
        outlet.put(.noSentences, at: now)
      }
    }

    mutating func lost(_ loss: FixDelivery.Loss, at time: Int64) {
      now = time
      tellUnreadable(isLast: true)
      guard isConnected else { return }
      isConnected = false
      saidRefused = false
      outlet.put(.lost(loss), at: time)
    }
  }

  init(_ outlet: consuming FixOutlet, control: LinkControl) {
    ear = Ear(outlet)
    self.control = control
  }

  mutating func prepare() {}

  mutating func unreachable(_ kind: PortError.Kind, at now: Int64) { ear.outlet.put(.unreachable(kind), at: now) }

  mutating func closed(at now: Int64) {
    ear.lost(isAsked ? .silent : .portClosed, at: now)
    reader = GPSDReader()
  }

  mutating func opened(at now: Int64, _ actions: inout PortActions) {
    reopenNotBefore = nil
    isAsked = false
    actions.send(GPSDReader.watch)
    actions.deadline = now + Self.quiet
  }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    ear.now = now
    isAsked = false
    reader.receive(bytes, into: &ear)
    actions.deadline = now + Self.quiet
  }

  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) {
    guard !isAsked else {
      reopenNotBefore = now + Self.pause
      actions.stop()
      return
    }
    isAsked = true
    actions.send(GPSDReader.ping)
    actions.deadline = now + Self.answer
  }

  mutating func wokenUp(at now: Int64, _ actions: inout PortActions) { if !control.mayStayOpen { actions.stop() } }
}
