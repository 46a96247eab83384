/** The settings that the server receives. */

/** Settings of the extension alone; the server has no such settings. */
const OWN = new Set(["enable", "server", "statusBar", "trace"]);

export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/**
 * Return the settings that the user has set, by name.
 *
 * A default of this extension is never sent: it would override the configuration file of the project.
 */
export function explicit(names: Iterable<string>, inspect: (name: string) => Inspected | undefined): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    if (OWN.has(name.split(".")[0])) {
      continue;
    }
    const each = inspect(name);
    const value = each?.workspaceFolderValue ?? each?.workspaceValue ?? each?.globalValue;
    if (value !== undefined && value !== null) {
      found[name] = value;
    }
  }
  return found;
}
