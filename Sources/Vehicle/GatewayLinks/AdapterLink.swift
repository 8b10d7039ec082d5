import AdapterSession
import OBDWire
import Ports

/// The driver of an adapter's link.
///
/// It wraps ``AdapterDriver`` in a type that is not generic. If `AdapterDriver` itself conformed to ``LinkDriver``
/// conditionally, programs would crash when they create the metadata of this generic noncopyable type (Swift 6.3.1,
/// debug builds).
struct AdapterLink: LinkDriver, ~Copyable {
  private var driver: AdapterDriver<DeliveryWriter>

  init(_ session: consuming AdapterSession, _ writer: consuming DeliveryWriter, definitions: [SignalDefinition]) {
    driver = AdapterDriver(session, writer, definitions: definitions)
  }

  // MARK: The link

  mutating func prepare() {
    // New preferences may have arrived while the link was closed. They are applied now, because the wake-up that
    // announced them may already be cleared.
    _ = driver.listener.wokenUp(&driver.session)
  }

  mutating func unreachable(_ kind: PortError.Kind, at now: Int64) { driver.listener.unreachable(kind, at: now) }

  mutating func closed(at now: Int64) {
    driver.closed(at: now)
    driver.listener.closed(at: now)
  }

  var reopenNotBefore: Int64? { driver.reopenNotBefore }

  // MARK: The loop

  mutating func opened(at now: Int64, _ actions: inout PortActions) {
    driver.listener.opened(at: now)
    driver.opened(at: now, &actions)
  }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    driver.received(bytes, at: now, &actions)
  }

  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) { driver.deadlinePassed(at: now, &actions) }

  mutating func wokenUp(at now: Int64, _ actions: inout PortActions) { driver.wokenUp(at: now, &actions) }

  mutating func sent(_ bytes: Span<UInt8>, at now: Int64) { driver.sent(bytes, at: now) }

  mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool {
    driver.rateRefused(baud, at: now, &actions)
  }
}
