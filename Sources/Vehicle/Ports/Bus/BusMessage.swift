import CSystemd
import Glibc

/// A received D-Bus message. Its values are read one after another. It is released when its last reference is gone.
@safe final class BusMessage {
  enum Kind: Int32 {
    case call = 1
    case answer = 2
    case failure = 3
    case signal = 4
  }

  let message: OpaquePointer

  /// Creates an object that takes ownership of a message of sd-bus.
  init(owning message: OpaquePointer) { unsafe self.message = message }

  deinit { unsafe csystemd_message_release(message) }

  // MARK: Header

  /// The kind of message; `nil` if it is unknown.
  var kind: Kind? { unsafe Kind(rawValue: csystemd_kind(message)) }
  /// Cookie (number) of the call that this message answers; 0 if it is not an answer.
  var cookie: UInt64 { unsafe csystemd_cookie(message) }
  /// Unique bus name of the sender, which the bus guarantees.
  var sender: String { unsafe Ports.text(csystemd_sender(message)) }
  var path: String { unsafe Ports.text(csystemd_path(message)) }
  var interface: String { unsafe Ports.text(csystemd_interface(message)) }
  var member: String { unsafe Ports.text(csystemd_member(message)) }
  /// The error in this message, if it is an error answer.
  var failure: BusError {
    .refused(
      name: unsafe Ports.text(csystemd_failure_name(message)), text: unsafe Ports.text(csystemd_failure_text(message)))
  }

  func isSignal(_ interface: String, _ member: String) -> Bool {
    kind == .signal && self.member == member && self.interface == interface
  }

  // MARK: Contents

  /// Calls `body` for each element of an array.
  ///
  /// - Parameter element: signature of the elements. An element of the form `{…}` is opened before each call of `body`,
  ///   and closed after it.
  /// - Returns: `false` if the next value is not such an array, or if `body` returns `false`.
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

  /// Reads a variant whose value has the signature `contents`, and returns the result of `body`. If the value has
  /// another signature, skips the variant and returns `nil`.
  func variant<Value>(_ contents: String, _ body: () -> Value?) -> Value? {
    guard unsafe csystemd_enter(message, CChar(UInt8(ascii: "v")), contents) > 0 else {
      _ = skip("v")
      return nil
    }
    let value = body()
    return unsafe csystemd_exit(message) >= 0 ? value : nil
  }

  /// Reads a string (`s`), object path (`o`) or signature (`g`); `nil` if the next value has another type.
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

  /// Calls `body` with the bytes of a byte array (`ay`), without copying them, and returns its result; `nil` if the
  /// next value has another type.
  func bytes<Value>(_ body: (Span<UInt8>) -> Value?) -> Value? {
    var pointer: UnsafeRawPointer?
    var count = 0
    guard unsafe csystemd_read_bytes(message, &pointer, &count) > 0 else { return nil }
    guard let pointer = unsafe pointer, count > 0 else { return body([UInt8]().span) }
    let start = unsafe pointer.assumingMemoryBound(to: UInt8.self)
    return unsafe body(Span(_unsafeStart: start, count: count))
  }

  /// Reads a file descriptor (`h`), and returns a non-blocking duplicate; `nil` if the next value has another type.
  func descriptor() -> Descriptor? {
    var number: Int32 = -1
    guard unsafe csystemd_read_descriptor(message, &number) > 0 else { return nil }
    return Descriptor(owning: number)
  }

  /// Skips the next values, which have the signature `types`; returns `false` if they have other types.
  func skip(_ types: String) -> Bool { unsafe csystemd_skip(message, types) >= 0 }
}
