/** How gblint is started: the command of a server or of a report. */

export interface Launch {
  command: string;
  args: string[];
}

export interface Choice {
  /** The setting `gblint.server.path`; empty if the user has not set it. */
  path: string;
  /** The setting `gblint.server.arguments`. */
  arguments: string[];
  /** The interpreter that the Python extension has selected, if it has one. */
  interpreter: string | undefined;
  /** Whether the workspace is trusted: if not, only a gblint on PATH is started. */
  trusted: boolean;
}

/**
 * Return the commands that may start gblint, the best first.
 *
 * The path that the user set is the only one if there is one.  Otherwise it is the gblint of the selected environment,
 * which finds the packages that the code imports, and then the one on PATH.
 */
export function candidates(choice: Choice): Launch[] {
  if (!choice.trusted) {
    return [{ command: "gblint", args: [] }];
  }
  if (choice.path !== "") {
    return [{ command: choice.path, args: [] }];
  }
  const found: Launch[] = [];
  if (choice.interpreter !== undefined) {
    found.push({ command: choice.interpreter, args: ["-m", "gblint"] });
  }
  found.push({ command: "gblint", args: [] });
  return found;
}

/** Return the command of the language server. */
export function server(launch: Launch, choice: Choice): Launch {
  const own = choice.trusted ? choice.arguments : [];
  return { command: launch.command, args: [...launch.args, "server", ...own] };
}

/** Return the command that writes the HTML report of a folder to standard output. */
export function report(launch: Launch): Launch {
  const args = ["check", "--output-format=html", "--show-fixes", "--exit-zero", "--quiet", "."];
  return { command: launch.command, args: [...launch.args, ...args] };
}

/** Replace a leading `~` and `${workspaceFolder}` in a path of the settings. */
export function expand(path: string, home: string, folder: string | undefined): string {
  const inFolder = folder === undefined ? path : path.replaceAll("${workspaceFolder}", folder);
  return inFolder === "~" || /^~[/\\]/.test(inFolder) ? home + inFolder.slice(1) : inFolder;
}
