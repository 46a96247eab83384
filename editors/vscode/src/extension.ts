/** The extension: it starts the language server of gblint, and adds a status bar item, commands and the report. */

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import * as vscode from "vscode";
import {
  DidChangeConfigurationNotification,
  LanguageClient,
  State as ClientState,
  Trace,
  type Executable,
} from "vscode-languageclient/node";
import { candidates, expand, report, server, type Choice, type Launch } from "./launch";
import { explicit } from "./settings";
import { text, tooltip, type State } from "./status";

const NAME = "gblint";
const MOST_OUTPUT = 64 * 1024 * 1024;

let log: vscode.LogOutputChannel;
let traceLog: vscode.OutputChannel;
let item: vscode.StatusBarItem;
let client: LanguageClient | undefined;
let version = "";
let state: State = "stopped";
let settingNames: string[] = [];
/** Starts and stops of the server, one after the other. */
let turn: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  log = vscode.window.createOutputChannel("gblint", { log: true });
  traceLog = vscode.window.createOutputChannel("gblint: trace of the protocol");
  item = vscode.window.createStatusBarItem("gblint.status", vscode.StatusBarAlignment.Right, 50);
  item.name = NAME;
  item.command = "gblint.showMenu";
  settingNames = Object.keys(context.extension.packageJSON.contributes.configuration.properties).map((name) =>
    name.slice(NAME.length + 1),
  );
  context.subscriptions.push(
    log,
    traceLog,
    item,
    vscode.commands.registerCommand("gblint.showReport", showReport),
    vscode.commands.registerCommand("gblint.fixFile", fixFile),
    vscode.commands.registerCommand("gblint.analyseWorkspace", analyseWorkspace),
    vscode.commands.registerCommand("gblint.restartServer", restart),
    vscode.commands.registerCommand("gblint.showLog", () => log.show()),
    vscode.commands.registerCommand("gblint.showMenu", showMenu),
    vscode.languages.onDidChangeDiagnostics(show),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("gblint.enable") || event.affectsConfiguration("gblint.server")) {
        void restart();
      } else if (event.affectsConfiguration(NAME)) {
        void client?.sendNotification(DidChangeConfigurationNotification.type, { settings: explicitSettings(undefined) });
      }
      show();
    }),
  );
  const python = await pythonEnvironments();
  if (python !== undefined) {
    context.subscriptions.push(python.onDidChangeActiveEnvironmentPath(() => void restart()));
  }
  await restart();
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
}

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(NAME, folder()?.uri);
}

/** Return the folder of the active editor, or the first one. */
function folder(): vscode.WorkspaceFolder | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const own = active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active);
  return own ?? vscode.workspace.workspaceFolders?.[0];
}

interface PythonEnvironments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
  onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

/** Return the environments of the Python extension; undefined if it is not installed. */
async function pythonEnvironments(): Promise<PythonEnvironments | undefined> {
  const extension = vscode.extensions.getExtension("ms-python.python");
  if (extension === undefined) {
    return undefined;
  }
  const api = extension.isActive ? extension.exports : await extension.activate();
  return api?.environments;
}

async function choice(): Promise<Choice> {
  const given = settings();
  const python = await pythonEnvironments();
  const interpreter = python?.getActiveEnvironmentPath(folder()?.uri).path;
  return {
    path: expand(given.get<string>("server.path", "").trim(), homedir(), folder()?.uri.fsPath),
    arguments: given.get<string[]>("server.arguments", []),
    interpreter: interpreter === undefined || interpreter === "python" ? undefined : interpreter,
    trusted: vscode.workspace.isTrusted,
  };
}

/** Run a command to its end and return its output; the error of a command that fails has its last messages. */
function run(launch: Launch, cwd: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      launch.command,
      launch.args,
      { cwd, signal, maxBuffer: MOST_OUTPUT, env: { ...process.env, PYTHONUTF8: "1" } },
      (error, output, messages) => {
        if (error === null) {
          resolve(output);
        } else {
          reject(new Error(messages.trim().split("\n").slice(-3).join("\n") || error.message));
        }
      },
    );
  });
}

/** Return the first command that runs, and its version. */
async function find(from: Choice): Promise<Launch | undefined> {
  for (const launch of candidates(from)) {
    const shown = [launch.command, ...launch.args].join(" ");
    try {
      // Not in the folder of the project: `python -m` looks there first.
      const answer = await run({ ...launch, args: [...launch.args, "--version"] }, homedir());
      version = /\d\S*/.exec(answer)?.[0] ?? "";
      log.info(`${shown}: version ${version}`);
      return launch;
    } catch (error) {
      log.info(`${shown} does not run: ${(error as Error).message}`);
    }
  }
  return undefined;
}

function restart(): Promise<void> {
  turn = turn.then(restartNow).catch((error: unknown) => {
    log.error(String(error));
    set("failed");
  });
  return turn;
}

async function restartNow(): Promise<void> {
  const old = client;
  client = undefined;
  await old?.dispose();
  if (!settings().get<boolean>("enable", true)) {
    set("stopped");
    return;
  }
  set("starting");
  const from = await choice();
  const launch = await find(from);
  if (launch === undefined) {
    set("failed");
    void complain("gblint was not found. Install it in the environment of the project, or name it in `gblint.server.path`.");
    return;
  }
  const started = server(launch, from);
  const executable: Executable = {
    command: started.command,
    args: started.args,
    options: { cwd: homedir(), env: { ...process.env, PYTHONUTF8: "1" } },
  };
  const next = new LanguageClient(NAME, NAME, executable, {
    documentSelector: [
      { language: "python", scheme: "file" },
      { language: "python", scheme: "untitled" },
      { language: "python", scheme: "vscode-notebook-cell" },
    ],
    outputChannel: log,
    traceOutputChannel: traceLog,
    initializationOptions: explicitSettings(undefined),
    middleware: {
      // The list of the server is a message of one line in VS Code; here the breaks are entries that lead to their lines.
      executeCommand: (command, args, next) =>
        command === "gblint.listBreaks" ? chooseBreak(args) : next(command, args),
      workspace: {
        configuration: (params) => params.items.map((each) => explicitSettings(each.scopeUri)),
      },
    },
  });
  next.onDidChangeState((event) => {
    if (client === next && event.newState === ClientState.Stopped) {
      set("failed");
    }
  });
  client = next;
  try {
    await next.start();
  } catch (error) {
    log.error(String(error));
    set("failed");
    void complain("The server of gblint does not start. It needs `pip install 'pygls>=2.0'` in the environment of gblint.");
    return;
  }
  await next.setTrace(Trace.fromString(settings().get<string>("server.trace", "off")));
  set("running");
}

function explicitSettings(scope: string | undefined): Record<string, unknown> {
  const uri = scope === undefined ? folder()?.uri : vscode.Uri.parse(scope);
  const given = vscode.workspace.getConfiguration(NAME, uri);
  return explicit(settingNames, (name) => given.inspect(name));
}

async function complain(message: string): Promise<void> {
  if ((await vscode.window.showErrorMessage(message, "Show the Log")) !== undefined) {
    log.show();
  }
}

function set(next: State): void {
  state = next;
  show();
}

function show(): void {
  const found = findings();
  item.text = text(state, found);
  item.tooltip = tooltip(state, found, version);
  item.backgroundColor = state === "failed" ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
  if (settings().get<boolean>("statusBar", true)) {
    item.show();
  } else {
    item.hide();
  }
}

async function showMenu(): Promise<void> {
  const problems = { label: "$(list-unordered) Show the problems", command: "workbench.actions.view.problems" };
  const entries = [
    problems,
    { label: "$(graph) Show the report of the folder", command: "gblint.showReport" },
    { label: "$(wrench) Make all safe fixes of the file", command: "gblint.fixFile" },
    { label: "$(refresh) Analyse the workspace now", command: "gblint.analyseWorkspace" },
    { label: "$(debug-restart) Restart the server", command: "gblint.restartServer" },
    { label: "$(output) Show the log", command: "gblint.showLog" },
  ];
  const chosen = await vscode.window.showQuickPick(entries, { placeHolder: tooltip(state, findings(), version) });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}

function findings(): number {
  return vscode.languages
    .getDiagnostics()
    .flatMap(([, each]) => each)
    .filter((each) => each.source === NAME).length;
}

async function ask(command: string, ...args: unknown[]): Promise<unknown> {
  if (client === undefined || state !== "running") {
    void vscode.window.showWarningMessage("The server of gblint does not run.");
    return undefined;
  }
  return client.sendRequest("workspace/executeCommand", { command, arguments: args });
}

interface Located {
  code: string;
  message: string;
  place: string;
  uri: string;
  start: { line: number; character: number };
}

/** Let the user choose one of the breaks of an entry point, and show its line. */
async function chooseBreak(args: unknown[]): Promise<void> {
  const found = ((await ask("gblint.locateBreaks", ...args)) ?? []) as Located[];
  const entries = found.map((each) => ({ label: each.place, description: each.code, detail: each.message, each }));
  if (entries.length === 0) {
    void vscode.window.showInformationMessage("gblint finds no graph breaks here.");
    return;
  }
  const placeHolder = args.slice(1).join(", ");
  const chosen = await vscode.window.showQuickPick(entries, { placeHolder, matchOnDescription: true, matchOnDetail: true });
  if (chosen !== undefined) {
    const { line, character } = chosen.each.start;
    const selection = new vscode.Range(line, character, line, character);
    await vscode.window.showTextDocument(vscode.Uri.parse(chosen.each.uri), { selection });
  }
}

async function fixFile(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "python") {
    void vscode.window.showInformationMessage("Open a Python file first.");
    return;
  }
  if ((await ask("gblint.fixAll", document.uri.toString())) === false) {
    void vscode.window.showInformationMessage("There is nothing that gblint can fix safely in this file.");
  }
}

async function analyseWorkspace(): Promise<void> {
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "gblint" }, async () => {
    const found = await ask("gblint.analyse");
    if (typeof found === "number") {
      void vscode.window.setStatusBarMessage(`gblint: ${found === 1 ? "1 finding" : `${found} findings`}`, 5000);
    }
  });
}

async function showReport(): Promise<void> {
  const place = folder();
  if (place === undefined) {
    void vscode.window.showInformationMessage("Open a folder first: the report is of a folder.");
    return;
  }
  const title = `gblint: report of ${place.name}`;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  try {
    const page = await vscode.window.withProgress(options, async (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      const launch = await find(await choice());
      if (launch === undefined) {
        throw new Error("gblint was not found");
      }
      return run(report(launch), place.uri.fsPath, stop.signal);
    });
    const panel = vscode.window.createWebviewPanel("gblint.report", title, vscode.ViewColumn.Active, {
      enableScripts: true,
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.webview.html = page;
  } catch (error) {
    if ((error as Error).name !== "AbortError") {
      log.error(String(error));
      void vscode.window.showErrorMessage(`gblint made no report: ${(error as Error).message}`);
    }
  }
}
