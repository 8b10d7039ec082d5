import CSystemd

/// A D-Bus message to be sent: a call, or an answer to a call. If an argument is invalid, the whole message becomes
/// invalid, and ``SystemBus/send(_:)`` then throws.
@safe final class BusCall {
  let message: OpaquePointer?
  /// Result of the last operation of sd-bus on the message; negative if the message is invalid.
  private(set) var code: Int32

  private init(_ made: (inout OpaquePointer?) -> Int32) {
    var message: OpaquePointer?
    code = unsafe made(&message)
    unsafe self.message = message
  }

  /// Creates a call of a method. Arguments may be appended.
  convenience init(_ bus: SystemBus, _ service: String, _ path: String, _ interface: String, _ method: String) {
    unsafe self.init { unsafe csystemd_call(bus.bus, service, path, interface, method, &$0) }
  }

  /// Creates the answer to a call.
  convenience init(answering call: BusMessage) { unsafe self.init { unsafe csystemd_answer(call.message, &$0) } }

  /// Creates an error answer to a call.
  convenience init(refusing call: BusMessage, name: String, _ text: String) {
    unsafe self.init { unsafe csystemd_refusal(call.message, name, text, &$0) }
  }

  deinit { unsafe csystemd_message_release(message) }

  /// Appends a string (`s`) or, if `type` is `o`, an object path.
  func text(_ text: String, as type: Unicode.Scalar = "s") -> BusCall {
    unsafe append { unsafe csystemd_append_text($0, CChar(UInt8(ascii: type)), text) }
  }

  func bool(_ value: Bool) -> BusCall { unsafe append { unsafe csystemd_append_bool($0, value ? 1 : 0) } }

  func uint32(_ value: UInt32) -> BusCall { unsafe append { unsafe csystemd_append_uint32($0, value) } }

  /// Appends an array of bytes.
  func bytes(_ bytes: Span<UInt8>) -> BusCall {
    if code >= 0, let message = unsafe message {
      code = unsafe bytes.withUnsafeBufferPointer { unsafe csystemd_append_bytes(message, $0.baseAddress, $0.count) }
    }
    return self
  }

  /// Appends a dictionary from texts to texts, in the format `a{sv}`.
  func options(_ texts: KeyValuePairs<String, String> = [:]) -> BusCall {
    var call = open("a", "{sv}")
    for (key, value) in texts { call = call.open("e", "sv").text(key).variant("s") { $0.text(value) }.close() }
    return call.close()
  }

  /// Appends a variant. `contents` is the signature of its value, which `body` appends.
  func variant(_ contents: String, _ body: (BusCall) -> BusCall) -> BusCall { body(open("v", contents)).close() }

  private func open(_ type: Unicode.Scalar, _ contents: String) -> BusCall {
    unsafe append { unsafe csystemd_open($0, CChar(UInt8(ascii: type)), contents) }
  }

  private func close() -> BusCall { unsafe append { unsafe csystemd_close($0) } }

  private func append(_ add: (OpaquePointer) -> Int32) -> BusCall {
    if code >= 0, let message = unsafe message { code = unsafe add(message) }
    return self
  }
}
