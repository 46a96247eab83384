"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const all = (selector, inside = document) => Array.from(inside.querySelectorAll(selector));
  const root = document.documentElement;

  // -- light and dark ---------------------------------------------------------------------------------------------
  const theme = $("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const remembered = (value) => {
    // Where pages from a disk have no storage, the choice lasts as long as the page.
    try {
      if (value === undefined) return localStorage.getItem("gblint-theme");
      localStorage.setItem("gblint-theme", value);
    } catch { /* none */ }
    return null;
  };
  const named = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  const turn = () => { root.dataset.theme = isDark() ? "light" : "dark"; remembered(root.dataset.theme); named(); };
  const before = remembered();
  if (before === "light" || before === "dark") root.dataset.theme = before;
  theme.hidden = false;
  theme.addEventListener("click", turn);
  system.addEventListener("change", named);
  named();

  // -- filters ----------------------------------------------------------------------------------------------------
  const form = $("filters");
  const list = $("list");
  // On a narrow screen the findings come first.
  const fold = $("fold");
  const wide = matchMedia("(min-width: 861px)");
  const folded = () => { if (fold) fold.open = wide.matches; };
  wide.addEventListener("change", folded);
  folded();
  const rank = { certain: 3, likely: 2, possible: 1 };
  const items = list ? all(":scope > li", list).map((element, index) => ({
    element, index, details: element.firstElementChild, text: null,
    rule: element.dataset.rule, severity: element.dataset.severity, confidence: element.dataset.confidence,
    reach: element.dataset.reach,
    category: element.dataset.category, run: element.dataset.run, file: element.dataset.file,
    line: +element.dataset.line, place: +element.dataset.place, cost: +element.dataset.cost, entries: new Set(element.dataset.entries.split(" ")),
  })) : [];
  const facets = form ? all("fieldset", form).map((element) => ({
    name: element.dataset.facet,
    boxes: all("input", element).map((box) => ({ box, count: box.closest("label").lastElementChild, label: box.closest("label") })),
  })) : [];
  const orders = {
    importance: (a, b) => a.index - b.index,
    cost: (a, b) => b.cost - a.cost || a.index - b.index,
    place: (a, b) => a.place - b.place,
    rule: (a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : a.index - b.index),
    confidence: (a, b) => rank[b.confidence] - rank[a.confidence] || b.cost - a.cost || a.index - b.index,
  };
  let order = "importance";
  const textOf = (item) => {
    if (item.text === null) item.text = item.element.textContent.toLowerCase().replace(/\s+/g, " ");
    return item.text;
  };

  const state = () => {
    const chosen = {};
    for (const { name, boxes } of facets) chosen[name] = new Set(boxes.filter((b) => b.box.checked).map((b) => b.box.value));
    const entry = $("entry").selectedOptions[0];
    return {
      chosen, words: $("q").value.toLowerCase().split(/\s+/).filter(Boolean), file: $("file").value,
      entry: entry && entry.dataset.number, sort: $("sort").value,
    };
  };

  const apply = () => {
    const now = state();
    const counts = facets.map(() => new Map());
    let shown = 0;
    for (const item of items) {
      const base = (!now.file || item.file === now.file) && (!now.entry || item.entries.has(now.entry))
        && now.words.every((word) => textOf(item).includes(word));
      let missed = 0, which = -1;
      if (base) facets.forEach(({ name }, number) => {
        const chosen = now.chosen[name];
        if (chosen.size && !chosen.has(item[name])) { missed += 1; which = number; }
      });
      const fits = base && missed === 0;
      shown += fits;
      if (item.element.hidden === fits) item.element.hidden = !fits;
      // A choice counts what the others leave: what it would show if it were the only one of its kind.
      if (base && missed <= 1) facets.forEach(({ name }, number) => {
        if (missed === 0 || which === number) counts[number].set(item[name], (counts[number].get(item[name]) || 0) + 1);
      });
    }
    facets.forEach(({ boxes }, number) => boxes.forEach(({ box, count, label }) => {
      const value = counts[number].get(box.value) || 0;
      count.textContent = value;
      label.classList.toggle("zero", !value && !box.checked);
    }));
    if (now.sort !== order) {
      order = now.sort;
      list.append(...[...items].sort(orders[order]).map((item) => item.element));
    }
    $("shown").textContent = shown === items.length ? `${items.length} findings` : `${shown} of ${items.length} findings`;
    $("none").hidden = shown > 0;
    return now;
  };

  // -- the state of the page is its fragment ------------------------------------------------------------------------
  const fragment = (at) => {
    const now = new URLSearchParams();
    if (form) {
      for (const { name, boxes } of facets) {
        const values = boxes.filter((b) => b.box.checked).map((b) => b.box.value);
        if (values.length) now.set(name, values.join(","));
      }
      for (const [name, usual] of [["q", ""], ["file", ""], ["entry", ""], ["sort", "importance"]]) {
        if ($(name).value !== usual) now.set(name, $(name).value);
      }
    }
    if (at && !now.toString()) return `#${at}`;
    if (at) now.set("at", at);
    return now.toString() ? `#${now.toString().replace(/%2C/g, ",")}` : location.pathname + location.search;
  };
  let timer = 0;
  const changed = () => {
    apply();
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState(null, "", fragment()), 150);
  };
  const go = (id, focus = true) => {
    const target = $(id);
    if (!target) return;
    const item = items.find((each) => each.element.contains(target));
    if (item && item.element.hidden) { form.reset(); apply(); }
    for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    all(".here").forEach((each) => each.classList.remove("here"));
    if (target.classList.contains("l")) target.classList.add("here");
    target.scrollIntoView({ block: target.classList.contains("l") ? "center" : "start" });
    const receiver = target.tagName === "DETAILS" ? target.firstElementChild : target;
    if (!receiver.hasAttribute("tabindex") && receiver.tagName !== "SUMMARY") receiver.tabIndex = -1;
    if (focus) receiver.focus({ preventScroll: true });
  };
  const restore = () => {
    const text = location.hash.slice(1);
    if (text && !text.includes("=")) return go(decodeURIComponent(text));
    const wanted = new URLSearchParams(text);
    if (form) {
      for (const { name, boxes } of facets) {
        const values = new Set((wanted.get(name) || "").split(","));
        boxes.forEach(({ box }) => { box.checked = values.has(box.value); });
      }
      for (const [name, usual] of [["q", ""], ["file", ""], ["entry", ""], ["sort", "importance"]]) {
        const value = wanted.get(name) ?? usual;
        const known = $(name).tagName === "INPUT" || Array.from($(name).options).some((option) => option.value === value);
        $(name).value = known ? value : usual;
      }
      apply();
    }
    if (wanted.get("at")) go(wanted.get("at"), false);
  };
  if (form) {
    form.hidden = false;
    $("tools").hidden = false;
    form.addEventListener("input", changed);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(changed));
    $("clear").addEventListener("click", () => { form.reset(); $("q").focus(); });
    $("expand").addEventListener("click", () => {
      const visible = items.filter((item) => !item.element.hidden);
      const open = visible.some((item) => !item.details.open);
      visible.forEach((item) => { item.details.open = open; });
      $("expand").textContent = open ? "Close all" : "Open all";
    });
    apply();
    // Collected before they are asked for, so that the first search is as quick as the others.
    addEventListener("load", () => setTimeout(() => items.forEach(textOf), 50));
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const id = decodeURIComponent(link.hash.slice(1));
    if (!$(id)) return;
    event.preventDefault();
    history.pushState(null, "", fragment(id));
    go(id);
  });
  addEventListener("hashchange", restore);
  addEventListener("popstate", restore);

  // -- keys ---------------------------------------------------------------------------------------------------------
  const step = (by) => {
    const visible = all(":scope > li:not([hidden]) > details > summary", list);
    const here = visible.findIndex((each) => each.parentElement.contains(document.activeElement));
    const next = visible[here < 0 ? (by > 0 ? 0 : visible.length - 1) : Math.min(Math.max(here + by, 0), visible.length - 1)];
    if (next) { next.focus({ preventScroll: true }); next.scrollIntoView({ block: "nearest" }); }
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    if (event.key === "Escape" && event.target.id === "q") { event.target.value = ""; changed(); event.target.blur(); return; }
    if (typing) return;
    if (event.key === "/" && form) { event.preventDefault(); $("q").focus(); $("q").select(); }
    else if (event.key === "j" && list) step(1);
    else if (event.key === "k" && list) step(-1);
    else if (event.key === "o" && list) {
      const here = document.activeElement.closest("#list details");
      if (here) here.open = !here.open;
    } else if (event.key === "t") turn();
  });

  // -- pictures -----------------------------------------------------------------------------------------------------
  const saying = (item) => {
    const say = item.closest("details").querySelector(".say");
    say.hidden = false;
    say.replaceChildren();
    const part = (selector) => { const found = item.querySelector(selector); return found ? found.textContent : ""; };
    const own = item.firstElementChild.matches(".h") ? item.firstElementChild : item;
    const name = own.querySelector("b") ? own.querySelector("b").textContent : "";
    if (item.matches(".c, .o, .y")) { const bold = document.createElement("b"); bold.textContent = name; say.append(bold, " "); }
    say.append(part(".n"));
    all(".at").forEach((each) => each.classList.remove("at"));
    item.classList.add("at");
    if (!item.title) item.title = say.textContent;
  };
  all(".tree").forEach((tree) => {
    const stops = all(".h", tree);
    stops.forEach((each, number) => { each.tabIndex = number ? -1 : 0; });
    const pic = tree.parentElement;
    const itemOf = (target) => (target.closest ? target.closest(".tree li") : null);
    tree.addEventListener("mouseover", (event) => { const item = itemOf(event.target); if (item) saying(item); });
    tree.addEventListener("focusin", (event) => {
      const item = itemOf(event.target);
      if (!item) return;
      stops.forEach((each) => { each.tabIndex = each === event.target ? 0 : -1; });
      saying(item);
    });
    tree.addEventListener("keydown", (event) => {
      const item = itemOf(event.target);
      if (!item) return;
      const here = stops.indexOf(event.target);
      const to = {
        ArrowRight: () => stops[here + 1], ArrowLeft: () => stops[here - 1], Home: () => stops[0], End: () => stops[stops.length - 1],
        ArrowUp: () => { const outer = item.parentElement.closest("li"); return outer && outer.querySelector(":scope > .h"); },
        ArrowDown: () => item.querySelector(":scope > ol .h"),
      }[event.key];
      if (!to) return;
      event.preventDefault();
      const next = to();
      if (next) { next.focus({ preventScroll: true }); next.scrollIntoView({ block: "nearest", inline: "nearest" }); }
    });
    pic.closest("details").querySelectorAll(".astext").forEach((button) => {
      button.hidden = false;
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(pic.classList.toggle("text")));
      });
    });
  });
  all(".only").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      form.reset();
      setTimeout(() => { $("entry").value = button.dataset.entry; changed(); $("findings").scrollIntoView(); $("findings").focus({ preventScroll: true }); });
    });
  });

  addEventListener("beforeprint", () => items.forEach((item) => { item.was = item.details.open; item.details.open = true; }));
  addEventListener("afterprint", () => items.forEach((item) => { item.details.open = item.was; }));
  restore();
  // The browser takes the focus away when it has gone to the fragment itself.
  addEventListener("load", () => setTimeout(() => { if (location.hash) restore(); }));
})();
