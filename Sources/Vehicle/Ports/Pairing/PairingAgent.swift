/// An agent (org.bluez.Agent1), which BlueZ calls during a pairing. It answers for the adapters that are to be paired,
/// and rejects requests for all other devices.
final class PairingAgent: BusListener {
  static let path = "/org/obdgate/agent"
  private static let managerInterface = "org.bluez.AgentManager1"

  private let bluez: BlueZ
  var plans: [PairingPlan]
  /// Whether bluetoothd has ended.
  private(set) var hasEnded = false
  /// The adapters that BlueZ has reported as paired, with the paths of their D-Bus objects.
  private(set) var pairedDevices: [(address: BluetoothAddress, path: String)] = []

  init(_ bluez: BlueZ, _ plans: [PairingPlan]) {
    self.bluez = bluez
    self.plans = plans
  }

  /// The means of input and output that the agent announces to BlueZ. With `KeyboardOnly`, the agent can enter the
  /// passkey of a Bluetooth LE adapter. Classic Bluetooth requests a PIN in any case, and Secure Simple Pairing would
  /// require a display on the adapter (Core Specification, volume 3, part C, 5.2.2.6).
  private var capability: String {
    plans.contains { $0.state == .open && $0.request.isLowEnergy } ? "KeyboardOnly" : "NoInputNoOutput"
  }

  /// Registers this agent with BlueZ.
  func register(until deadline: Int64, unless wakeUp: WakeUp?) throws(BusError) {
    let call = bluez.methodCall("/org/bluez", Self.managerInterface, "RegisterAgent").text(Self.path, as: "o").text(
      capability)
    _ = try bluez.bus.call(call, until: deadline, unless: wakeUp, telling: self)
  }

  func unregister() {
    // It does no harm if this message is lost, because BlueZ removes an agent that leaves the bus.
    try? bluez.bus.post(
      bluez.methodCall("/org/bluez", Self.managerInterface, "UnregisterAgent").text(Self.path, as: "o"))
  }

  func popPairedDevices() -> [(address: BluetoothAddress, path: String)] {
    defer { pairedDevices = [] }
    return pairedDevices
  }

  func receive(_ message: BusMessage) {
    switch message.kind {
    case .call: answer(message)
    case .signal:
      if bluez.hasEnded(message) { hasEnded = true }
      guard bluez.sent(message), let address = BluetoothAddress(objectPath: message.path) else { return }
      let path = message.path
      message.eachProperty(of: "org.bluez.Device1") { key in
        guard key == "Paired" else { return message.skip("v") }
        if message.variant("b", { message.bool() }) == true { pairedDevices.append((address, path)) }
        return true
      }
    case .answer, .failure, nil: return
    }
  }

  private func answer(_ call: BusMessage) {
    let answer: BusCall
    if !bluez.sent(call) || call.path != Self.path || call.interface != "org.bluez.Agent1" {
      answer = BusCall(refusing: call, name: "org.bluez.Error.Rejected", "the caller is not BlueZ")
    } else {
      switch call.member {
      case "Release", "Cancel": answer = BusCall(answering: call)
      case "RequestPinCode": answer = self.answer(call, .pin)
      case "RequestPasskey": answer = self.answer(call, .passkey)
      case "RequestConfirmation", "RequestAuthorization", "AuthorizeService": answer = self.answer(call, .consent)
      // DisplayPinCode and DisplayPasskey are rejected, because there is no display.
      default: answer = BusCall(refusing: call, name: "org.bluez.Error.Rejected", "not supported")
      }
    }
    // If this fails, the caller no longer waits for the answer.
    try? bluez.bus.post(answer)
  }

  /// Answers a request of BlueZ. The first argument of the request is the path of the device's D-Bus object (`o`).
  private func answer(_ call: BusMessage, _ question: PairingPlan.Question) -> BusCall {
    guard let device = call.text("o").flatMap({ BluetoothAddress(objectPath: $0) }),
      let index = plans.firstIndex(where: { $0.request.address == device })
    else { return BusCall(refusing: call, name: "org.bluez.Error.Rejected", "not an adapter of this gateway") }
    switch plans[index].answer(question) {
    case .pin(let pin): return BusCall(answering: call).text(pin)
    case .passkey(let number): return BusCall(answering: call).uint32(number)
    case .yes: return BusCall(answering: call)
    case .no: return BusCall(refusing: call, name: "org.bluez.Error.Rejected", "no PIN for it")
    }
  }
}
