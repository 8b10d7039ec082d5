import ArgumentParser
import CommandLineSupport
import Failures
import JSONText
import OBDWire
import SignalSets
import Telemetry

/// `obdgate decode`: decodes replies. Input and output are JSON lines.
struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decodes adapter replies: JSON lines on stdin to JSON lines on stdout.",
    discussion: """
      In:  {"request":"010C","lines":["7E8 04 41 0C 1A F8"],
            "protocol":"can11","headers":true}
      Out: {"messages":[{"ecu":"7E8","payload":"410C1AF8"}],
            "readings":[{"name":"rpm","pid":"010C","value":1726,"unit":"rpm",
                         "ecu":"7E8"}],
            "errors":[]}

      protocol: auto (default), can11, can29, kwp, iso9141, j1850pwm, j1850vpw. headers: true or false; left out, each \
      line's form is found out. lines: an array, or one string with CRs and prompt as read from an adapter; a line that \
      begins with > starts the next exchange. signals: the path of an OBDb signal set.

      One line out for each line in, in order. What an adapter says wrong is a result (exit 0); a line that is not valid \
      JSON gives an error of kind malformed in its place, and exit status 65 at the end.
      """)

  func run() throws {
    do {
      try DecodeRun().run()
    } catch let failure as Failure {
      throw failure.reported(by: "decode")
    }
  }
}

/// Decodes all text lines of stdin.
private struct DecodeRun: ~Copyable {
  private var output = OutputStream()
  private var reader = ReplyReader()
  private var sets = SignalSetCache()
  private var answer = DecodeAnswer()

  consuming func run() throws {
    var input = try LineInput(path: "-")
    var document = JSONDocument()
    var number = 0
    var badLines = 0
    loop: while true {
      switch try input.next() {
      case .wait: try output.flush()
      case .end: break loop
      case .tooLong:
        number += 1
        badLines += 1
        StandardError.print("obdgate decode: line \(number): longer than 1 MiB: write one reply on each line")
        answer.refuse("longer than 1 MiB", at: 0, text: [])
        try answer.write(to: &output)
      case .line(let range):
        number += 1
        let isGood = decode(input.bytes[range], number, &document)
        if !isGood { badLines += 1 }
        try answer.write(to: &output)
      }
    }
    try output.flush()
    if number == 0 { throw Failure(.badData, "standard input is empty: give one JSON object a line") }
    if badLines > 0 {
      throw Failure(.badData, "\(badLines) of \(number) lines were no valid request: see the errors of kind malformed")
    }
  }

  private mutating func decode(_ text: ArraySlice<UInt8>, _ number: Int, _ document: inout JSONDocument) -> Bool {
    do {
      try document.parse(text.span)
      let request = try DecodeRequest(document.root)
      let loaded = try sets.signals(named: request.signalSet)
      answer.begin(loaded)
      request.feed(&reader, loaded, into: &answer)
      answer.finish()
      return true
    } catch let error as JSONError {
      refuse(number, error.message, at: error.offset, text)
    } catch {
      // The signal set that the request names is missing, unreadable or invalid.
      refuse(number, "\(error)", at: 0, text)
    }
    return false
  }

  private mutating func refuse(_ number: Int, _ reason: String, at offset: Int, _ text: ArraySlice<UInt8>) {
    StandardError.print("obdgate decode: line \(number): \(reason)")
    answer.refuse(reason, at: offset, text: text)
  }
}
