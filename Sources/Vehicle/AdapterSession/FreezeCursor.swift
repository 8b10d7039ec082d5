import OBDWire

/// The progress of reading a freeze frame: what to request next.
struct FreezeCursor: BitwiseCopyable {
  enum Step: UInt8, BitwiseCopyable { case code, support, parameters }
  var step = Step.code
  /// In the step `support`, the support PID (00, 20, 40 and so on) to request; in the step `parameters`, the last PID
  /// that was requested.
  var pid: UInt8 = 0
  /// Whether a request with several PIDs was not answered completely. The PIDs are then requested one by one.
  var isSingle = false
}

extension AdapterSession {
  /// Starts to read the freeze frames. OBDonUDS does not have service 02, so nothing is read there.
  mutating func startFreezeFrame() {
    guard !car.isUDS else { return }
    car.forgetFreezeFrame()
    connection?.freezeCursor = FreezeCursor()
    connection?.jobs.insert(Job.freezeFrame.bit)
  }

  func freezeRequest() -> ReadRequest? {
    guard let cursor = connection?.freezeCursor else { return nil }
    switch cursor.step {
    case .code: return .freezeFrame(0x02)
    case .support: return .freezeFrame(cursor.pid)
    case .parameters:
      var request: ReadRequest?
      var pid = Int(cursor.pid) + 1
      while pid <= 0xFF {
        let candidate = UInt8(truncatingIfNeeded: pid)
        pid += 1
        guard candidate & 0x1F != 0, candidate != 0x02, car.anyFreezes(candidate),
          ReplyObserver.dataLength(UInt16(candidate), .freezeFrame) > 0
        else { continue }
        if request == nil {
          request = .freezeFrame(candidate)
        } else if cursor.isSingle || !vehicle.bus.isCAN || !request!.add(UInt16(candidate)) {
          break
        }
      }
      return request
    }
  }

  /// Handles an answer of service 02.
  ///
  /// - Returns: whether a part of the frame remains to be requested.
  mutating func advanceFreezeFrame(_ reply: ReplyObserver) -> Bool {
    guard var cursor = connection?.freezeCursor else { return false }
    connection?.jobs.tries = 0
    switch cursor.step {
    case .code:
      // The code 0000 means that no frame is stored.
      guard reply.messages > 0, reply.codesDigest != 0 else { return false }
      cursor = FreezeCursor(step: .support, pid: 0)
    case .support:
      for i in 0..<reply.supportCount { car.learn(reply.support(i)) }
      let next = cursor.pid &+ 0x20
      cursor =
        next != 0 && car.anyFreezes(next)
        ? FreezeCursor(step: .support, pid: next) : FreezeCursor(step: .parameters, pid: 0)
    case .parameters:
      guard let asked = freezeRequest() else { return false }
      let isShort = reply.answeredPlaces.nonzeroBitCount < asked.identifierCount
      if asked.identifierCount > 1, isShort, !cursor.isSingle {
        cursor.isSingle = true
      } else {
        cursor.pid = UInt8(truncatingIfNeeded: asked.identifier(at: asked.identifierCount - 1))
      }
    }
    connection?.freezeCursor = cursor
    return freezeRequest() != nil
  }
}
