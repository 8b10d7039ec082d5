import AdapterSession
import OBDWire
import Ports

/// Connects an adapter session to the poll loop of a port. It passes bytes and times to the session, and the session's
/// actions to the loop. It does no I/O itself and reads no clock. The daemon, the commands of `obdgate` and the tests
/// use it.
public struct AdapterDriver<Listener: DialogueListener & ~Copyable>: ~Copyable, PortHandler {
  public var session: AdapterSession
  public var listener: Listener
  /// Definitions of the signals in the loaded signal sets, in the order that `OBDWire` expects.
  public var definitions: [SignalDefinition]
  /// The earliest time at which to open the port again, ns since boot; `nil` if the session did not request this.
  public private(set) var reopenNotBefore: Int64?

  public init(
    _ session: consuming AdapterSession, _ listener: consuming Listener, definitions: [SignalDefinition] = []
  ) {
    self.session = session
    self.listener = listener
    self.definitions = definitions
  }

  public mutating func opened(at now: Int64, _ actions: inout PortActions) {
    reopenNotBefore = nil
    listener.begin(at: now)
    session.opened(at: now)
    pump(at: now, &actions)
  }

  public mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    listener.begin(at: now)
    listener.received(bytes)
    // A copy is necessary, because the property must not change while its span is in use.
    let definitions = definitions
    session.received(bytes, at: now, loaded: definitions.span, into: &listener)
    pump(at: now, &actions)
  }

  public mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) {
    listener.begin(at: now)
    pump(at: now, &actions)
  }

  public mutating func wokenUp(at now: Int64, _ actions: inout PortActions) {
    listener.begin(at: now)
    guard listener.wokenUp(&session) else {
      actions.stop()
      return
    }
    pump(at: now, &actions)
  }

  public mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool {
    listener.begin(at: now)
    session.rateRefused(at: now)
    pump(at: now, &actions)
    return true
  }

  public mutating func sent(_ bytes: Span<UInt8>, at now: Int64) {
    listener.begin(at: now)
    listener.sent(bytes)
  }

  /// Handles the end of the connection: it was closed, or the device has disappeared. The events that follow from the
  /// end are passed to the listener.
  public mutating func closed(at now: Int64) {
    listener.begin(at: now)
    session.closed(at: now)
    while true {
      switch session.next(at: now, into: &listener) {
      case .report(let event): listener.event(event, &session)
      case .reopen(let notBefore): reopenNotBefore = notBefore
      case .send, .setBaud: continue
      case .wait:
        _ = listener.end()
        return
      }
    }
  }

  /// Performs the session's actions until the session waits.
  private mutating func pump(at now: Int64, _ actions: inout PortActions) {
    while true {
      switch session.next(at: now, into: &listener) {
      case .send(let command): actions.send(command.bytes)
      case .setBaud(let baud): actions.setBaud(baud)
      case .report(let event): listener.event(event, &session)
      case .reopen(let notBefore):
        reopenNotBefore = notBefore
        actions.stop()
      case .wait(let until):
        actions.deadline = until == .max ? nil : until
        if !listener.end() { actions.stop() }
        return
      }
    }
  }
}
