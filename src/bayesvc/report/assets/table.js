"use strict";
// The table of all variables: a page of rows at a time, made from the data block.
(function () {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const byId = (id) => document.getElementById(id);
  const table = byId("table");
  const body = table.tBodies[0];
  const headings = Array.from(table.tHead.rows[0].cells);
  const folded = data.names.map((name) => name.toLowerCase());
  const everyone = data.names.map((_, row) => row); // selected first, by importance
  const state = { column: 0, descending: true, page: 0, size: 25, query: "", only: false };
  let sorted = everyone;
  let view = everyone;
  let announcing = 0;

  const integer = (value) => value.toLocaleString("en");
  const plural = (count) => integer(count) + (count === 1 ? " variable" : " variables");

  function text(column, value) {
    if (column.kind === "flag") return value ? "yes" : "no";
    if (value === null) return "–";
    if (column.kind === "count") return integer(value);
    if (column.kind === "percentage") {
      const percent = 100 * value;
      return (percent > 0 && percent < 1 ? Number(percent.toPrecision(2)) : Math.round(percent)) + " %";
    }
    if (column.kind === "probability") {
      if (value > 0.999) return "> 0.999"; // an estimate is never certain
      return value < 0.001 ? "< 0.001" : value.toFixed(3);
    }
    if (Math.abs(value) >= 1000 && Math.abs(value) < 1e9) return integer(Math.round(value));
    return String(Number(value.toPrecision(3)));
  }

  function rowElement(row) {
    const line = document.createElement("tr");
    if (row < data.marked) line.className = "marked";
    const head = document.createElement("th");
    const name = document.createElement("bdi");
    head.scope = "row";
    name.textContent = data.names[row]; // never as HTML: names are the user's
    head.append(name);
    line.append(head);
    for (const column of data.columns) {
      const cell = document.createElement("td");
      const content = text(column, column.values[row]);
      cell.textContent = content;
      cell.className = column.kind + (column.kind === "flag" ? " " + content : "");
      if (column.extra) cell.classList.add("extra");
      line.append(cell);
    }
    return line;
  }

  function sort() {
    const sign = state.descending ? -1 : 1;
    if (state.column < 0) {
      const collator = new Intl.Collator("en", { numeric: true });
      sorted = everyone.slice().sort((a, b) => sign * collator.compare(data.names[a], data.names[b]));
      return;
    }
    const values = data.columns[state.column].values;
    sorted = everyone.slice().sort((a, b) => {
      const left = values[a];
      const right = values[b];
      if (left === right) return a - b;
      if (left === null) return 1;
      if (right === null) return -1;
      return sign * (left - right);
    });
  }

  function filter() {
    const query = state.query.trim().toLowerCase();
    view = sorted.filter(
      (row) => (!state.only || row < data.marked) && (!query || folded[row].includes(query))
    );
  }

  const pages = () => Math.max(1, Math.ceil(view.length / state.size));

  function show(rows) {
    const lines = rows.map(rowElement);
    if (!lines.length) {
      const line = document.createElement("tr");
      const cell = document.createElement("td");
      cell.colSpan = headings.length;
      cell.className = "empty";
      cell.textContent = "No variable matches.";
      line.append(cell);
      lines.push(line);
    }
    body.replaceChildren(...lines);
  }

  function showPage() {
    state.page = Math.min(state.page, pages() - 1);
    const start = state.page * state.size;
    show(view.slice(start, start + state.size));
    byId("previous").setAttribute("aria-disabled", String(state.page === 0));
    byId("next").setAttribute("aria-disabled", String(state.page >= pages() - 1));
    announce();
  }

  // Spoken after a pause, so that a screen reader is not interrupted by every key.
  function announce() {
    clearTimeout(announcing);
    announcing = setTimeout(() => {
      const all = data.names.length;
      const found = view.length === all ? plural(all) : integer(view.length) + " of " + plural(all);
      byId("status").textContent = found + ", page " + integer(state.page + 1) + " of " + integer(pages());
    }, 200);
  }

  function update(change) {
    Object.assign(state, { page: 0 }, change);
    if ("column" in change) sort();
    filter();
    showPage();
  }

  function sortBy(index) {
    const column = data.columns[index];
    const lowFirst = index < 0 || column.lowFirst;
    const descending = index === state.column ? !state.descending : !lowFirst;
    headings.forEach((heading, i) => {
      if (i === index + 1) heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
    update({ column: index, descending: descending });
  }

  function readControls() {
    if (byId("more")) table.classList.toggle("all", byId("more").checked);
    update({
      query: byId("search").value, only: byId("only").checked, size: Number(byId("size").value),
    });
  }

  function turn(step) {
    const page = state.page + step;
    if (page < 0 || page >= pages()) return;
    state.page = page;
    showPage();
  }

  function copyCode() {
    navigator.clipboard.writeText(byId("code").textContent).then(() => {
      byId("copy").textContent = "Copied";
      setTimeout(() => { byId("copy").textContent = "Copy"; }, 1500);
    });
  }

  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) sortBy(Number(button.dataset.column));
  });
  byId("search").addEventListener("input", readControls);
  for (const id of ["only", "more", "size"]) {
    if (byId(id)) byId(id).addEventListener("change", readControls);
  }
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  if (navigator.clipboard) {
    byId("copy").hidden = false;
    byId("copy").addEventListener("click", copyCode);
  }

  // On paper: all that is selected, whatever page is open.
  window.addEventListener("beforeprint", () => {
    document.documentElement.dataset.print = "";
    document.querySelectorAll("details").forEach((element) => { element.open = true; });
    show(everyone.slice(0, data.marked));
  });
  window.addEventListener("afterprint", () => {
    delete document.documentElement.dataset.print;
    showPage();
  });

  document.querySelectorAll(".controls, .pager").forEach((element) => { element.hidden = false; });
  window.bayesvcReport = data;
  readControls(); // some browsers keep what was chosen before a reload
})();
