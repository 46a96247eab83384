// The playground: an editor whose text is linted in a worker, by gblint on Pyodide. It also works in a page opened as a file.
(() => {
  const place = document.querySelector("#gblint-playground");
  if (!place) return;

  const EXAMPLES = {
    "A number taken out of a tensor": `import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        y = self.linear(x)
        scale = y.max().item()
        if y.sum() > 0:
            y = y / scale
        print("scale", scale)
        return y


model = torch.compile(Net())
`,
    "A mixture of experts": `import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, width: int = 32, count: int = 4):
        super().__init__()
        self.router = nn.Linear(width, count)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))

    def forward(self, x):
        choice = self.router(x).argmax(-1)
        out = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            rows = torch.nonzero(choice == index).squeeze(-1)
            out = out.index_add(0, rows, expert(x[rows]))
        return out


model = torch.compile(Experts())
`,
    "A break that raises": `import numpy as np
import torch


def smooth(signal):
    return np.interp(signal, [0.0, 1.0], [0.0, 2.0])


@torch.compile(fullgraph=True)
def step(x, y):
    return x + torch.as_tensor(smooth(y.numpy()))
`,
    "No break": `import torch


@torch.compile
def normalized(x):
    if x.dim() == 1:
        x = x.unsqueeze(0)
    scale = x.abs().amax(-1, keepdim=True)
    return torch.where(scale > 0, x / scale, x)
`,
  };
  const DELAY = 250; // milliseconds without a key before a check
  const LIMIT = 30_000; // milliseconds after which a check is given up
  const base = new URL("../assets/playground/", document.currentScript.src);

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  // A message of gblint: code is between backquotes.
  const message = (text) => text.split("`").map((part, n) => (n % 2 ? element("code", { textContent: part }) : part));

  const text = element("textarea", { spellcheck: false, wrap: "off", autocapitalize: "off", autocomplete: "off" });
  text.setAttribute("aria-label", "Python source");
  const colored = element("pre", { className: "pg-colored" });
  colored.setAttribute("aria-hidden", "true");
  const gutter = element("div", { className: "pg-gutter" });
  gutter.setAttribute("aria-hidden", "true");
  const editor = element("div", { className: "pg-editor" }, gutter, element("div", { className: "pg-text" }, colored, text));
  const status = element("p", { className: "pg-status" });
  status.setAttribute("role", "status");
  const results = element("div", { className: "pg-results" }, status);
  const list = element("ol");
  results.append(list);
  const examples = element("select", {}, ...Object.keys(EXAMPLES).map((name) => new Option(name)));
  const chosenVersion = element("select", { disabled: true }, new Option("the newest torch", ""));
  examples.setAttribute("aria-label", "Example");
  chosenVersion.setAttribute("aria-label", "Release of torch");
  const link = element("button", { type: "button", className: "md-button", textContent: "Copy link" });
  place.replaceChildren(
    element("div", { className: "pg-bar" }, examples, chosenVersion, link),
    element("div", { className: "pg-panes" }, editor, results),
  );

  // The editor: a text field with transparent letters above the same text in colors.
  const TOKEN = new RegExp(
    [
      "(?<comment>#.*)",
      "(?<string>(?:\\b[rbfuRBFU]{1,2})?(?:\"\"\"[^]*?(?:\"\"\"|$)|'''[^]*?(?:'''|$)|\"(?:\\\\.|[^\"\\\\\\n])*\"?|'(?:\\\\.|[^'\\\\\\n])*'?))",
      "(?<keyword>\\b(?:and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|match|None|nonlocal|not|or|pass|raise|return|True|False|try|while|with|yield)\\b)",
      "(?<decorator>^[ \\t]*@[\\w.]+)",
      "(?<number>\\b\\d[\\w.]*)",
      "(?<name>\\b\\w+\\b)",
    ].join("|"),
    "gm",
  );
  let found = [];
  const offsetOf = (starts, line, column) => {
    const start = starts[line - 1] ?? text.value.length;
    // Columns count characters, and the strings of this language count units of 16 bits.
    const units = [...text.value.slice(start).split("\n", 1)[0]].slice(0, column - 1).join("").length;
    return start + units;
  };
  const lineStarts = () => {
    const starts = [0];
    for (const newline of text.value.matchAll(/\n/g)) starts.push(newline.index + 1);
    return starts;
  };
  const draw = () => {
    const source = text.value, starts = lineStarts(), cuts = new Map([[0, ""]]);
    for (const token of source.matchAll(TOKEN)) {
      const kind = Object.entries(token.groups).find(([, value]) => value !== undefined)[0];
      cuts.set(token.index, `pg-${kind}`).set(token.index + token[0].length, "");
    }
    const marks = found.filter((each) => each.shown === source).map((each) => [
      offsetOf(starts, each.line, each.column), offsetOf(starts, each.end_line, each.end_column), each,
    ]);
    const kinds = [...cuts].sort(([one], [two]) => one - two);
    const edges = [...new Set([...cuts.keys(), ...marks.flatMap(([from, to]) => [from, to]), source.length])].sort((a, b) => a - b);
    colored.replaceChildren();
    let kind = 0;
    edges.slice(0, -1).forEach((from, n) => {
      while (kind + 1 < kinds.length && kinds[kind + 1][0] <= from) kind += 1;
      const marked = marks.find(([start, end]) => start <= from && from < end);
      const piece = element("span", { textContent: source.slice(from, edges[n + 1]), className: kinds[kind][1] });
      if (marked) piece.classList.add("pg-mark", `pg-${marked[2].confidence}`);
      colored.append(piece);
    });
    colored.append("\n");
    gutter.replaceChildren(...starts.map((_, n) => {
      const number = element("span", { textContent: n + 1 });
      const first = marks.find(([, , each]) => each.line === n + 1);
      if (first) number.className = `pg-found pg-${first[2].confidence}`;
      return number;
    }));
  };
  const select = (finding) => {
    const starts = lineStarts();
    text.focus();
    text.setSelectionRange(
      offsetOf(starts, finding.line, finding.column), offsetOf(starts, finding.end_line, finding.end_column),
    );
    gutter.children[finding.line - 1]?.scrollIntoView({ block: "nearest" });
  };

  // The answers.
  const say = (words, kind = "") => {
    status.className = `pg-status ${kind}`;
    status.replaceChildren(...message(words));
  };
  const card = (finding) => {
    const where = element("button", { type: "button", className: "pg-where", textContent: `line ${finding.line}` });
    where.addEventListener("click", () => select(finding));
    const rule = element("a", { href: new URL(`../../rules/${finding.code}.html`, base), textContent: finding.code });
    const notes = element("dl");
    for (const [name, note] of Object.entries(finding.notes)) {
      notes.append(element("dt", { textContent: name }), element("dd", {}, ...message(note)));
    }
    const head = element("p", {}, where, " ", rule, " ", element("span", { className: "pg-sure", textContent: finding.confidence }));
    return element("li", { className: `pg-${finding.confidence}` }, head, element("p", {}, ...message(finding.message)), notes);
  };
  const show = (answer, shown) => {
    found = answer.findings.map((finding) => ({ ...finding, shown }));
    const graphs = answer.graphs.map((each) => element("li", { textContent: `${each.entry}: ${each.graphs}` }));
    const errors = answer.errors.map((each) => element("li", { className: "pg-error", textContent: `line ${each.line}: ${each.message}` }));
    if (answer.errors.length) say("This is not Python yet.", "pg-bad");
    else say(answer.summary.join(" "), found.length || answer.notes.length ? "" : "pg-good");
    list.replaceChildren(...errors, ...found.map(card));
    if (!answer.errors.length) list.append(...answer.notes.map((note) => element("li", { className: "pg-note" }, ...message(note))));
    if (graphs.length) list.append(element("li", { className: "pg-note" }, "Graphs per call (estimated):", element("ul", {}, ...graphs)));
    draw();
  };

  // The worker: its source is Pyodide and the function below, since a page opened as a file may not load the file of a
  // worker, nor a worker that is a module; so Pyodide is the last one with scripts that are no modules (0.29).
  const work = () => {
    const start = async (files) => {
      const types = { wasm: "application/wasm", json: "application/json" };
      self.fetch = async (name) => {
        const file = String(name.url ?? name).split("/").pop();
        if (!(file in files)) throw new TypeError(`no network: ${file}`);
        return new Response(files[file], { headers: { "Content-Type": types[file.split(".").pop()] ?? "application/zip" } });
      };
      const lockFileContents = new TextDecoder().decode(files["pyodide-lock.json"]);
      const pyodide = await loadPyodide({ indexURL: "https://files.invalid/", lockFileContents });
      pyodide.unpackArchive(files["gblint.zip"], "zip", { extractDir: "/gblint" });
      pyodide.runPython("import sys; sys.path.insert(0, '/gblint')");
      return pyodide.pyimport("playground_check");
    };
    let checker;
    self.onmessage = async ({ data }) => {
      try {
        if (data.files) {
          checker = await start(data.files);
          self.postMessage({ versions: checker.versions().toJs() });
        } else {
          self.postMessage({ text: data.text, answer: JSON.parse(checker.check(data.text, data.version)) });
        }
      } catch (error) {
        self.postMessage({ error: String(error.message ?? error), starting: Boolean(data.files) });
      }
    };
  };

  const files = {};
  let worker = null, ready = false, busy = 0, waiting = false, limit = 0;
  const unpacked = async (packed) => {
    const data = await fetch(`data:application/octet-stream;base64,${packed}`);
    return new Response(data.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  };
  let arriving = [];
  window.gblintPlayground = {
    receive: (packed) => {
      arriving = arriving.concat(Object.entries(packed).map(async ([name, data]) => { files[name] = await unpacked(data); }));
    },
  };
  const load = (name) => new Promise((done, failed) => {
    const script = element("script", { src: new URL(name, base) });
    script.addEventListener("load", done);
    script.addEventListener("error", failed);
    document.head.append(script);
  });
  const begin = () => {
    ready = false;
    // On a page opened as a file the theme replaces the class Worker.
    const Plain = window.BrowserWorker ?? window.Worker;
    const scripts = [files["pyodide.asm.js"], "\n", files["pyodide.js"], `\n(${work})()`];
    worker = new Plain(URL.createObjectURL(new Blob(scripts, { type: "text/javascript" })));
    worker.onmessage = ({ data }) => answered(data);
    worker.onerror = (event) => say(`gblint cannot run in this browser: ${event.message ?? "its worker does not start"}.`, "pg-bad");
    worker.postMessage({ files });
  };
  const ask = () => {
    if (!ready || busy) {
      waiting = true;
      return;
    }
    waiting = false;
    busy = 1;
    limit = setTimeout(() => {
      worker.terminate();
      busy = 0;
      found = [];
      list.replaceChildren();
      say("The check took more than 30 seconds and was stopped; gblint starts again.", "pg-bad");
      begin();
    }, LIMIT);
    worker.postMessage({ text: text.value, version: chosenVersion.value });
  };
  const answered = (data) => {
    clearTimeout(limit);
    busy = 0;
    if (data.versions) {
      ready = true;
      if (chosenVersion.disabled) {
        chosenVersion.replaceChildren(...data.versions.map((version) => new Option(`torch ${version}`, version)));
        chosenVersion.value = wantedVersion && data.versions.includes(wantedVersion) ? wantedVersion : data.versions[0];
        chosenVersion.disabled = false;
      }
      waiting = true;
    } else if (data.error) {
      const last = data.error.trim().split("\n").pop();
      list.replaceChildren();
      say(data.starting ? `gblint could not start in this browser: ${last}` : `gblint failed on this text: ${last}`, "pg-bad");
    } else {
      show(data.answer, data.text);
    }
    if (waiting && ready) ask();
  };

  // A link with the text: in the part of the address that no server sees.
  const packed = () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ text: text.value, version: chosenVersion.value }));
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_");
  };
  const linked = () => {
    try {
      const bytes = atob(location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
      return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0))));
    } catch {
      return {};
    }
  };
  const given = location.hash.length > 1 ? linked() : {};
  const wantedVersion = typeof given.version === "string" ? given.version : "";

  let timer = 0;
  const changed = () => {
    draw();
    clearTimeout(timer);
    timer = setTimeout(ask, DELAY);
  };
  text.addEventListener("input", changed);
  text.addEventListener("keydown", (event) => {
    const insert = (inserted) => {
      event.preventDefault();
      document.execCommand("insertText", false, inserted); // keeps what Ctrl-Z undoes
    };
    const before = text.value.slice(0, text.selectionStart).split("\n").pop();
    if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey && !event.altKey && !leaving) insert(" ".repeat(4 - (before.length % 4)));
    else if (event.key === "Enter" && !event.ctrlKey) insert(`\n${before.match(/^\s*/)[0]}${/:\s*(#.*)?$/.test(before) ? "    " : ""}`);
    leaving = event.key === "Escape"; // Escape, then Tab, leaves the field
  });
  let leaving = false;
  examples.addEventListener("change", () => {
    text.value = examples.value ? EXAMPLES[examples.value] : given.text;
    changed();
  });
  chosenVersion.addEventListener("change", ask);
  link.addEventListener("click", async () => {
    history.replaceState(null, "", `#${packed()}`);
    try {
      await navigator.clipboard.writeText(location.href);
      link.textContent = "Copied";
    } catch {
      link.textContent = "It is in the address bar";
    }
    setTimeout(() => { link.textContent = "Copy link"; }, 2000);
  });

  text.value = Object.values(EXAMPLES)[0];
  if (typeof given.text === "string") {
    text.value = given.text;
    examples.prepend(new Option("The code of the link", "", true, true));
  }
  draw();
  say("Loading Python and gblint ...");
  Promise.all([load("pyodide.js"), load("gblint.js")])
    .then(async () => {
      if (!("DecompressionStream" in window)) throw new Error("This browser is too old for the playground.");
      await Promise.all(arriving);
      arriving = [];
      say("Starting Python ...");
      begin();
    })
    .catch((error) => say(error instanceof Error ? error.message : "This build of the site has no playground: it was made without the npm packages of `docs/playground`.", "pg-bad"));
})();
