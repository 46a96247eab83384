/** The text of the item in the status bar. */

export type State = "starting" | "running" | "stopped" | "failed";

/** Return the text, with the number of findings in the open workspace. */
export function text(state: State, findings: number): string {
  switch (state) {
    case "starting":
      return "$(loading~spin) gblint";
    case "running":
      return findings === 0 ? "$(check) gblint" : `$(warning) gblint: ${findings}`;
    case "stopped":
      return "$(circle-slash) gblint";
    case "failed":
      return "$(error) gblint";
  }
}

/** Return the text that is shown when the mouse is over the item. */
export function tooltip(state: State, findings: number, version: string): string {
  const of = version === "" ? "gblint" : `gblint ${version}`;
  switch (state) {
    case "starting":
      return `${of} is starting`;
    case "running":
      return `${of}: ${findings === 0 ? "no findings" : findings === 1 ? "1 finding" : `${findings} findings`}`;
    case "stopped":
      return `${of} is switched off`;
    case "failed":
      return `${of} does not run: click for the log`;
  }
}
