/// A car on its bus. It determines which ECUs receive a request, what they answer, and when their frames are sent.
public struct Car: Sendable {
  /// The bus at the diagnostic connector.
  public var bus: Bus
  /// Whether the car uses SAE J1979-2 (OBDonUDS) instead of J1979.
  public var speaksUDS = false
  /// VIN of 17 characters; empty if the car does not report it.
  public var vin: String
  /// Whether the engine has compression ignition.
  public var isDiesel = false
  /// The car's control units.
  public var ecus: [ECU]
  /// Time from the end of a request to the start of the answer, for ECUs that have no latency of their own.
  public var latency = Duration.milliseconds(10)
  /// Minimum time between two frames of the same ECU.
  public var frameGap = Duration.milliseconds(1)
  /// The byte that pads CAN frames to their full length.
  public var padding: UInt8 = 0

  var model: DriveModel

  init(bus: Bus, vin: String, ecus: [ECU], model: DriveModel) {
    self.bus = bus
    self.vin = vin
    self.ecus = ecus
    self.model = model
  }

  /// Whether the ignition is on. The ECUs receive requests only while it is on.
  func isAwake(at time: Duration) -> Bool { model.state(at: time).isAwake }

  /// Returns the voltage at the diagnostic connector, V.
  func voltage(at time: Duration) -> Double { model.state(at: time).voltage }

  /// The answer of one ECU, before segmentation.
  struct Answer {
    var ecu: Int
    var isPhysical: Bool
    var messages: [[UInt8]]
    /// Time that is added to the ECU's latency.
    var delay = Duration.zero
  }

  /// Passes a request to the addressed ECUs and returns their answers.
  mutating func answers(to request: BusRequest, at time: Duration) -> [Answer] {
    guard isAwake(at: time), bus != .j1939, let service = request.payload.first else { return [] }
    var view = ECUView(
      model: model, time: time, vin: vin, isDiesel: isDiesel, speaksUDS: speaksUDS, isCAN: bus.isCAN)
    var answers: [Answer] = []
    for index in ecus.indices {
      guard let isPhysical = reaches(index, request) else { continue }
      view.time = time
      switch ecus[index].answer(request.payload, view) {
      case .silence: continue
      case .messages(let messages):
        answers.append(Answer(ecu: index, isPhysical: isPhysical, messages: messages))
      case .refusal(let code):
        // An ECU answers a functional request negatively only if it reports "conditions not correct" (ISO 15765-4, ISO
        // 14229-1).
        let isTold = isPhysical || code == Refusal.conditionsNotCorrect
        if isTold { answers.append(Answer(ecu: index, isPhysical: isPhysical, messages: [[0x7F, service, code]])) }
      }
    }
    return answers
  }

  /// Returns `true` if a request is addressed to this ECU alone, `false` if it is addressed to all ECUs, and `nil` if
  /// this ECU does not receive it.
  private func reaches(_ index: Int, _ request: BusRequest) -> Bool? {
    let ecu = ecus[index]
    if bus.isCAN {
      if request.header == (bus.isExtended ? 0x18DB_33F1 : 0x7DF) {
        return ecu.answersFunctional && request.extendedAddress == nil ? false : nil
      }
      return request.header == ecu.requestAddress && request.extendedAddress == ecu.extendedAddress ? true : nil
    }
    let type = UInt8(truncatingIfNeeded: request.header >> 16)
    let target = UInt8(truncatingIfNeeded: request.header >> 8)
    let isMeant = UInt32(target) == ecu.address
    switch bus {
    case .kwpFast, .kwpSlow:
      if type & 0xC0 == 0xC0 { return target == 0x33 && ecu.answersFunctional ? false : nil }
      return type & 0xC0 == 0x80 && isMeant ? true : nil
    case .j1850pwm:
      if type == 0x61 { return target == 0x6A && ecu.answersFunctional ? false : nil }
    default:
      if type == 0x68 { return target == 0x6A && ecu.answersFunctional ? false : nil }
    }
    return type == 0x6C && isMeant ? true : nil
  }

  /// Divides the answers of ECUs into frames, and computes the time of each frame. On CAN, the answers of several ECUs
  /// overlap in time; on other buses, the ECUs send one after another.
  func frames(
    _ answers: [Answer], after requestEnd: Duration, flowControl: (UInt32) -> FlowControl?
  ) -> [BusFrame] {
    var frames: [BusFrame] = []
    var busFree = requestEnd
    for (order, answer) in answers.enumerated() {
      let ecu = ecus[answer.ecu]
      let latency = max(ecu.latency ?? self.latency, bus.minimumLatency) + answer.delay
      guard bus.isCAN else {
        var time = max(requestEnd + latency, busFree + (order == 0 ? .zero : bus.minimumLatency))
        for (number, message) in answer.messages.enumerated() {
          let bytes = LegacyFrame.answer(
            message, from: UInt8(truncatingIfNeeded: ecu.address), on: bus, isPhysical: answer.isPhysical)
          if number > 0 { time += max(frameGap, bus.minimumLatency) }
          time += bus.airTime(bytes: bytes.count)
          frames.append(BusFrame(time: time, sender: ecu.address, bytes: bytes))
        }
        busFree = time
        continue
      }
      // Frames that are ready at the same time follow each other. The frame with the lower identifier is first
      // (arbitration).
      let start = requestEnd + latency + bus.airTime(bytes: 8) * order
      frames += canFrames(answer, ecu, from: start, flowControl: flowControl)
    }
    frames.sort { ($0.time, $0.sender) < ($1.time, $1.sender) }
    return frames
  }

  private func canFrames(
    _ answer: Answer, _ ecu: ECU, from start: Duration, flowControl: (UInt32) -> FlowControl?
  ) -> [BusFrame] {
    var frames: [BusFrame] = []
    var time = start
    for message in answer.messages {
      let prefix = ecu.extendedAddress == nil ? nil : LegacyFrame.tester
      let cut = ISOTP.frames(message, extendedAddress: prefix, padding: padding)
      for (number, bytes) in cut.enumerated() {
        if number == 1 {
          // An ECU that receives no matching flow control after its first frame sends no further frame.
          guard let control = flowControl(ecu.address), control.isClear, control.header == ecu.requestAddress,
            control.extendedAddress == ecu.extendedAddress
          else { break }
          let allowed = control.blockSize == 0 ? cut.count - 1 : min(Int(control.blockSize), cut.count - 1)
          let gap = max(frameGap, control.separationTime)
          for later in cut[1...allowed] {
            time += gap
            frames.append(BusFrame(time: time, sender: ecu.address, bytes: later))
          }
          break
        }
        frames.append(BusFrame(time: time, sender: ecu.address, bytes: bytes))
      }
      time += frameGap
    }
    return frames
  }
}
