import CSystemd
import Glibc

/// A message that came over the bus, read from front to back; let go of with its last owner.
@safe final class BusMessage {
  enum Kind: Int32 {
    case call = 1
    case answer = 2
    case failure = 3
    case signal = 4
  }

  let message: OpaquePointer

  /// Takes the message over.
  init(owning message: OpaquePointer) { unsafe self.message = message }

  deinit { unsafe csystemd_message_release(message) }

  // MARK: Its head

  /// nil for what no specification knows.
  var kind: Kind? { unsafe Kind(rawValue: csystemd_kind(message)) }
  /// The number of the call that it answers; 0: none.
  var cookie: UInt64 { unsafe csystemd_cookie(message) }
  /// The unique name of the peer, as the bus vouches for it.
  var sender: String { unsafe Ports.text(csystemd_sender(message)) }
  var path: String { unsafe Ports.text(csystemd_path(message)) }
  var interface: String { unsafe Ports.text(csystemd_interface(message)) }
  var member: String { unsafe Ports.text(csystemd_member(message)) }
  /// What failed, where that is what it says.
  var failure: BusError {
    .refused(
      name: unsafe Ports.text(csystemd_failure_name(message)), text: unsafe Ports.text(csystemd_failure_text(message)))
  }

  func isSignal(_ interface: String, _ member: String) -> Bool {
    kind == .signal && self.member == member && self.interface == interface
  }

  // MARK: Its contents

  /// Goes through an array; false where it is none or `body` fails.
  ///
  /// - Parameter element: its elements' signature; a `{…}` one is entered and left around `body`.
  func each(_ element: String, _ body: () -> Bool) -> Bool {
    guard unsafe csystemd_enter(message, CChar(UInt8(ascii: "a")), element) > 0 else { return false }
    let isEntry = element.hasPrefix("{")
    let contents = String(element.dropFirst().dropLast())
    while unsafe csystemd_at_end(message) == 0 {
      if isEntry && (unsafe csystemd_enter(message, CChar(UInt8(ascii: "e")), contents)) <= 0 { return false }
      guard body() else { return false }
      if isEntry && (unsafe csystemd_exit(message)) < 0 { return false }
    }
    return unsafe csystemd_exit(message) >= 0
  }

  /// Reads a variant of that signature; another one is passed over, and is nil.
  func variant<Value>(_ contents: String, _ body: () -> Value?) -> Value? {
    guard unsafe csystemd_enter(message, CChar(UInt8(ascii: "v")), contents) > 0 else {
      _ = skip("v")
      return nil
    }
    let value = body()
    return unsafe csystemd_exit(message) >= 0 ? value : nil
  }

  /// A string (`s`), object path (`o`) or signature (`g`).
  func text(_ type: Unicode.Scalar = "s") -> String? {
    var pointer: UnsafePointer<CChar>?
    guard unsafe csystemd_read_text(message, CChar(UInt8(ascii: type)), &pointer) > 0 else { return nil }
    return unsafe Ports.text(pointer)
  }

  func bool() -> Bool? {
    var value: Int32 = 0
    return unsafe csystemd_read_bool(message, &value) > 0 ? value != 0 : nil
  }

  func int16() -> Int16? {
    var value: Int16 = 0
    return unsafe csystemd_read_int16(message, &value) > 0 ? value : nil
  }

  func uint16() -> UInt16? {
    var value: UInt16 = 0
    return unsafe csystemd_read_uint16(message, &value) > 0 ? value : nil
  }

  /// Hands the bytes of an `ay` on, in place; nil where there is none.
  func bytes<Value>(_ body: (Span<UInt8>) -> Value?) -> Value? {
    var pointer: UnsafeRawPointer?
    var count = 0
    guard unsafe csystemd_read_bytes(message, &pointer, &count) > 0 else { return nil }
    guard let pointer = unsafe pointer, count > 0 else { return body([UInt8]().span) }
    let start = unsafe pointer.assumingMemoryBound(to: UInt8.self)
    return unsafe body(Span(_unsafeStart: start, count: count))
  }

  /// A descriptor (`h`) of our own, which does not block.
  func descriptor() -> Descriptor? {
    var number: Int32 = -1
    guard unsafe csystemd_read_descriptor(message, &number) > 0 else { return nil }
    return Descriptor(owning: number)
  }

  /// Passes over values of these types; false where there are others.
  func skip(_ types: String) -> Bool { unsafe csystemd_skip(message, types) >= 0 }
}
