import AdapterSession
import ArgumentParser
import CommandLineSupport
import Failures
import TroubleCodes

/// `obdgate dtc`: shows trouble codes. `obdgate dtc clear` clears them.
struct DTCCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dtc", abstract: "Shows trouble codes, the lamp and freeze frames, and clears them on request.",
    subcommands: [DTCClearCommand.self])

  @OptionGroup var options: VehicleOptions
  @OptionGroup var texts: CodeTextOptions

  func run() throws {
    do {
      let catalog = try texts.catalog()
      let answer = try options.run("dtc").query(.codes)
      try CodePrinter(catalog: catalog, json: options.json).write(answer.records)
      if let failure = answer.failure { throw failure }
      if answer.of("dtc").isEmpty { throw Failure(.failed, "no ECU of the vehicle answers for trouble codes") }
    } catch let failure as Failure {
      throw failure.reported(by: "dtc")
    }
  }
}

/// `obdgate dtc clear --yes`: clears trouble codes and freeze frames, and resets monitors.
struct DTCClearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Clears trouble codes, freeze frames and monitors, after printing the codes.",
    discussion: """
      The engine must be off, and the vehicle must stand still. All codes and freeze frames are printed first. The \
      monitors are reset: the vehicle must be driven before it passes an inspection.
      """)

  @OptionGroup var options: VehicleOptions
  @OptionGroup var texts: CodeTextOptions

  @Flag(help: "Confirm that the codes are to be cleared.")
  var yes = false

  func validate() throws {
    if !yes { throw ValidationError("this clears codes, freeze frames and monitors: confirm with --yes") }
  }

  func run() throws {
    do {
      let printer = CodePrinter(catalog: try texts.catalog(), json: options.json)
      let answer = try options.run("dtc clear").query(
        .codes, permission: ClearPermission(confirmed: yes), save: printer.write)
      // The codes were already printed before they were cleared. Only the result must still be reported.
      if !options.json, answer.failure == nil { StandardError.print("obdgate dtc clear: the codes are cleared") }
      try printer.write(answer.records)
      if let failure = answer.failure { throw failure }
    } catch let failure as Failure {
      throw failure.reported(by: "dtc clear")
    }
  }
}

/// The option for files with texts of trouble codes, in addition to the built-in texts.
struct CodeTextOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Texts of manufacturer codes: CSV with the columns code, text and make.", valueName: "file"),
    completion: .file())
  var texts: [String] = []

  func catalog() throws(Failure) -> TroubleCodeCatalog {
    var catalog = TroubleCodeCatalog()
    for path in texts {
      let content = try InputFile.contents(of: path, limit: 16 << 20)
      do throws(TroubleCodeFileError) {
        try catalog.add(csv: content, file: path)
      } catch {
        throw Failure(.badData, error.description)
      }
    }
    return catalog
  }
}
