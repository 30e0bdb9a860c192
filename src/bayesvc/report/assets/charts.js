"use strict";
// The pictures, drawn by plotly from the data block, in the colours of the page.
(function () {
  const data = window.bayesvcReport;
  const charts = data.charts;
  const printWidth = 660;
  let colours = {};

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["selected", "other", "rest", "ink", "muted", "grid", "line", "surface"]) {
      colours[name] = style.getPropertyValue("--" + name).trim();
    }
  }

  // Plotly reads some HTML tags in text, and names are the user's.
  function plain(name, most) {
    const letters = Array.from(name.replace(/\s+/g, " "));
    const short = letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
    return short.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  }
  const hoverName = (row) => "<b>" + plain(data.names[row], 60) + "</b>";
  const tickName = (row) => plain(data.names[row], window.innerWidth < 620 ? 14 : 28);
  const chosen = (row) => row < data.marked;
  const short = (value) => (value === null ? "–" : String(Number(value.toPrecision(3))));
  const percent = (value) => Math.round(100 * value) + " %";
  const integer = (value) => value.toLocaleString("en");

  const printing = () => "print" in document.documentElement.dataset;

  function layout(height, more) {
    const axis = {
      gridcolor: colours.grid, zerolinecolor: colours.line, linecolor: colours.line,
      tickcolor: colours.line, automargin: true, zeroline: false,
    };
    const base = {
      height: height,
      autosize: true,
      margin: { l: 56, r: 16, t: 36, b: 48 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: colours.muted },
      hoverlabel: {
        bgcolor: colours.surface, bordercolor: colours.line, align: "left",
        font: { color: colours.ink, size: 14 },
      },
      legend: { orientation: "h", x: 0, xanchor: "left", y: 1, yanchor: "bottom" },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colours.rest, activecolor: colours.ink },
      hovermode: "closest",
      dragmode: false,
    };
    if (printing()) base.width = printWidth;
    base.xaxis = Object.assign({}, axis, more.xaxis);
    base.yaxis = Object.assign({}, axis, more.yaxis);
    return base;
  }

  function rowsAxis(rows) {
    return {
      tickvals: rows.map((_, i) => i), ticktext: rows.map(tickName), tickfont: { color: colours.ink },
      range: [rows.length - 0.4, -0.6], showgrid: rows.length > 1, fixedrange: true, ticks: "",
    };
  }

  const title = (text) => ({ text: text.charAt(0).toUpperCase() + text.slice(1), standoff: 12 });
  const rowHeight = (rows) => 110 + 26 * rows.length;

  // The whole of a probability's range, so that both ends have a tick.
  const valueAxis = (chart, label) => Object.assign({ title: title(label) },
    chart.probability ? { range: [-0.03, 1.03], dtick: 0.2 } : { rangemode: "tozero" });

  // Ranks begin at 1, which ticks at multiples of a round number would leave out.
  function rankTicks(ranks) {
    const last = Math.max(...ranks);
    const step = [1, 2, 5, 10, 20].find((size) => last / size <= 10);
    const ticks = [1];
    for (let rank = step === 1 ? 2 : step; rank <= last; rank += step) ticks.push(rank);
    return ticks;
  }

  // Colour and shape both tell, so that neither is needed alone.
  function mark(selected, size) {
    return {
      color: selected ? colours.selected : colours.other,
      symbol: selected ? "diamond" : "circle",
      size: selected ? size + 2 : size,
      line: { width: 1, color: colours.surface },
    };
  }

  function points(name, x, y, hover, marker, more) {
    return Object.assign({
      type: "scatter", mode: "markers", name: name, x: x, y: y, hovertext: hover,
      hoverinfo: "text", marker: marker, cliponaxis: false,
    }, more);
  }

  function scatter(chart) {
    const at = chart.row.map((_, i) => i);
    const rest = chart.rest;
    const restHover = rest.row.map((row, i) => hoverName(row)
      + (rest.count[i] > 1 ? "<br>and " + integer(rest.count[i] - 1) + " more about here" : "")
      + (rest.never[i] ? "<br>never split on" : ""));
    const traces = [
      points("never split on, or several variables", rest.x, rest.y, restHover,
        { color: colours.rest, symbol: "circle-open", size: 7 }),
    ];
    const limits = chart.threshold;
    if (limits.length > 1 && limits.every((limit) => limit === limits[0])) {
      const ends = (values) => [Math.min(...values), Math.max(...values)];
      traces.push(points("threshold", ends(chart.x.concat(rest.x)), [limits[0], limits[0]],
        Array(2).fill("threshold " + short(limits[0])),
        { color: colours.rest, symbol: "line-ew-open", size: 8, line: { width: 2 } },
        { mode: "lines+markers", line: { color: colours.rest, width: 2, dash: "dash" } }));
    } else if (limits.length) {
      traces.push(points("threshold", at.map((i) => chart.x[i]), limits, limits.map((v) => "threshold " + short(v)),
        { color: colours.rest, symbol: "line-ew-open", size: 8, line: { width: 2 } }));
    }
    for (const selected of [false, true]) {
      const own = at.filter((i) => chosen(chart.row[i]) === selected);
      const hover = own.map((i) => hoverName(chart.row[i]) + "<br>" + short(chart.y[i]) + " "
        + chart.yLabel + "<br>" + chart.xLabel + " " + short(chart.x[i]));
      traces.push(points(selected ? "selected" : "not selected", own.map((i) => chart.x[i]),
        own.map((i) => chart.y[i]), hover, mark(selected, 8)));
    }
    const xaxis = { title: title(chart.xLabel + (chart.log ? " (log scale)" : "")) };
    Object.assign(xaxis, chart.log ? { type: "log", dtick: 1 } : { tickvals: rankTicks(chart.x.concat(rest.x)) });
    return [traces.filter((trace) => trace.x.length),
      layout(printing() ? 320 : 440, { xaxis: xaxis, yaxis: valueAxis(chart, chart.yLabel) })];
  }

  function spread(chart) {
    const at = chart.row.map((_, i) => i);
    const x = [], y = [], hover = [], colour = [];
    const several = chart.replicates.some((values) => values.length > 1);
    if (several) {
      at.forEach((i) => chart.replicates[i].forEach((value, number) => {
        x.push(value);
        y.push(i);
        colour.push(chosen(chart.row[i]) ? colours.selected : colours.other);
        hover.push(hoverName(chart.row[i]) + "<br>replicate " + (number + 1) + ": " + short(value));
      }));
    }
    const traces = [
      points("individual replicates", x, y, hover, { color: colour, size: 6, opacity: 0.4 }, { showlegend: false }),
    ];
    for (const selected of [false, true]) {
      const own = at.filter((i) => chosen(chart.row[i]) === selected);
      traces.push(points(selected ? "selected" : "not selected", own.map((i) => chart.mean[i]), own,
        own.map((i) => hoverName(chart.row[i]) + "<br>" + short(chart.mean[i]) + " " + chart.xLabel),
        mark(selected, 11)));
    }
    if (chart.threshold.length) {
      traces.push(points("threshold", chart.threshold, at, chart.threshold.map((v) => "threshold " + short(v)),
        { color: colours.ink, symbol: "line-ns-open", size: 14, line: { width: 2 } }));
    }
    return [traces.filter((trace) => trace.x.length), layout(rowHeight(chart.row),
      { xaxis: valueAxis(chart, chart.xLabel), yaxis: rowsAxis(chart.row) })];
  }

  function stable(chart) {
    const at = chart.row.map((_, i) => i);
    const colour = chart.row.map((row) => (chosen(row) ? colours.selected : colours.other));
    const hover = (frequencies, words) => at.map(
      (i) => hoverName(chart.row[i]) + "<br>selected in " + percent(frequencies[i]) + " " + words);
    const traces = [
      points("one replicate left out", chart.leaveOneOut, at, hover(chart.leaveOneOut, "with one replicate left out"),
        { color: colour, size: 10 }),
      points("replicates resampled", chart.bootstrap, at, hover(chart.bootstrap, "with resampled replicates"),
        { color: colour, size: 16, symbol: "circle-open", line: { width: 2 } }),
    ];
    const xaxis = { range: [-0.04, 1.04], tickformat: ".0%", title: title("selection frequency"), fixedrange: true };
    return [traces, layout(rowHeight(chart.row), { xaxis: xaxis, yaxis: rowsAxis(chart.row) })];
  }

  function matrix(chart) {
    const traces = [false, true].map((selected) => {
      const x = [], y = [], hover = [];
      chart.row.forEach((row, i) => chart.methods.forEach((method, k) => {
        if (Boolean(chart.hit[i][k]) !== selected) return;
        x.push(k);
        y.push(i);
        hover.push(hoverName(row) + "<br>" + (selected ? "selected by " : "not selected by ") + plain(method, 60));
      }));
      const marker = selected ? { color: colours.selected, size: 13 } : { color: colours.rest, size: 4 };
      return points(selected ? "selected" : "not selected", x, y, hover, marker);
    });
    const xaxis = {
      tickvals: chart.methods.map((_, k) => k), ticktext: chart.methods.map((name) => plain(name, 28)),
      range: [-0.6, chart.methods.length - 0.4], tickangle: -45, fixedrange: true, ticks: "",
      tickfont: { color: colours.ink },
    };
    return [traces.filter((trace) => trace.x.length),
      layout(rowHeight(chart.row) + 80, { xaxis: xaxis, yaxis: rowsAxis(chart.row) })];
  }

  const builders = { scatter: scatter, spread: spread, stable: stable, matrix: matrix };
  const source = { scatter: "scatter", spread: "spread", stable: "stability", matrix: "matrix" };
  const config = {
    displayModeBar: window.matchMedia("(hover: hover)").matches && "hover", displaylogo: false, responsive: true, showTips: false,
    modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
  };

  const drawn = Object.keys(builders).filter((id) => document.getElementById(id));

  function draw(id) {
    const [traces, look] = builders[id](charts[source[id]]);
    document.getElementById(id).style.minHeight = look.height + "px";
    Plotly.react(id, traces, look, config);
  }

  function drawAll() {
    readColours();
    drawn.forEach(draw);
  }

  // One at a time after the page is there, so that it can be read and scrolled meanwhile.
  function drawNext(number) {
    if (number === drawn.length) return;
    draw(drawn[number]);
    setTimeout(drawNext, 0, number + 1);
  }

  // Plotly takes a second to compile on a slow machine: the answer and the table come before it.
  function start() {
    const script = document.createElement("script");
    script.textContent = document.getElementById("plotly-source").textContent;
    document.head.append(script);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
    window.addEventListener("beforeprint", drawAll);
    window.addEventListener("afterprint", drawAll);
    readColours();
    drawNext(0);
  }

  if (drawn.length) window.addEventListener("load", () => setTimeout(start, 50));
})();
