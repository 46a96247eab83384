import * as assert from "node:assert";
import { test } from "node:test";
import { candidates, Choice, expand, report, server } from "../src/launch";
import { explicit, Inspected } from "../src/settings";
import { text, tooltip } from "../src/status";

const CHOICE: Choice = { path: "", arguments: ["--log-level=debug"], interpreter: "/env/bin/python", trusted: true };

test("the gblint of the selected environment comes before the one on PATH", () => {
  assert.deepStrictEqual(candidates(CHOICE), [
    { command: "/env/bin/python", args: ["-m", "gblint"] },
    { command: "gblint", args: [] },
  ]);
  assert.deepStrictEqual(candidates({ ...CHOICE, interpreter: undefined }), [{ command: "gblint", args: [] }]);
});

test("the path of the settings is the only one", () => {
  assert.deepStrictEqual(candidates({ ...CHOICE, path: "/x/gblint" }), [{ command: "/x/gblint", args: [] }]);
});

test("an untrusted folder chooses nothing", () => {
  const choice = { ...CHOICE, path: "./evil", trusted: false };
  assert.deepStrictEqual(candidates(choice), [{ command: "gblint", args: [] }]);
  assert.deepStrictEqual(server(candidates(choice)[0], choice).args, ["server"]);
});

test("commands", () => {
  const [launch] = candidates(CHOICE);
  assert.deepStrictEqual(server(launch, CHOICE).args, ["-m", "gblint", "server", "--log-level=debug"]);
  assert.strictEqual(report(launch).args.at(-1), ".");
  assert.ok(report(launch).args.includes("--output-format=html"));
});

test("paths of the settings are expanded", () => {
  assert.strictEqual(expand("~/bin/gblint", "/home/a", "/p"), "/home/a/bin/gblint");
  assert.strictEqual(expand("${workspaceFolder}/x", "/home/a", "/p"), "/p/x");
  assert.strictEqual(expand("${workspaceFolder}/x", "/home/a", undefined), "${workspaceFolder}/x");
  assert.strictEqual(expand("~a/x", "/home/a", "/p"), "~a/x");
});

test("only what the user has set is sent to the server", () => {
  const values: Record<string, Inspected> = {
    minConfidence: { globalValue: "likely", workspaceValue: "certain" },
    reach: {},
    codeLens: { globalValue: false },
    "server.path": { globalValue: "/x" },
    enable: { globalValue: true },
    select: { globalValue: null },
  };
  assert.deepStrictEqual(explicit(Object.keys(values), (name) => values[name]), {
    minConfidence: "certain",
    codeLens: false,
  });
});

test("the status bar tells the state and the number of findings", () => {
  assert.strictEqual(text("running", 0), "$(check) gblint");
  assert.strictEqual(text("running", 3), "$(warning) gblint: 3");
  assert.strictEqual(tooltip("running", 1, "0.1.0"), "gblint 0.1.0: 1 finding");
  assert.strictEqual(tooltip("failed", 0, ""), "gblint does not run: click for the log");
});
