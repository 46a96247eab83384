// The filter above the table of rules: a field for words, and a choice of family and of fix.
document$.subscribe(() => {
  const place = document.querySelector(".rule-filter");
  const table = place?.parentElement.querySelector("table");
  if (!place || !table || !place.hidden) return;
  const rows = [...table.tBodies[0].rows];
  const column = (row, number) => row.cells[number].textContent.trim();
  const select = (title, number) => {
    const made = document.createElement("select");
    made.setAttribute("aria-label", title);
    made.add(new Option(title, ""));
    for (const value of new Set(rows.map((row) => column(row, number)))) made.add(new Option(value, value));
    return made;
  };
  const words = document.createElement("input");
  words.type = "search";
  words.placeholder = "Filter: code, name, id or words";
  words.setAttribute("aria-label", words.placeholder);
  const choices = [[select("any family", 3), 3], [select("any fix", 4), 4], [select("on or off", 5), 5]];
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = wanted.every((word) => text.includes(word))
        && choices.every(([choice, number]) => !choice.value || column(row, number) === choice.value);
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    count.textContent = `${shown} of ${rows.length} rules`;
  };
  place.append(words, ...choices.map(([choice]) => choice), count);
  place.addEventListener("input", apply);
  place.hidden = false;
  apply();
});
