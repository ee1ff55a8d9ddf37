"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const all = (query, root = document) => [...root.querySelectorAll(query)];
  const made = (name, text = "", parent = null) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (parent) parent.append(element);
    return element;
  };
  const plain = (text) => text.normalize("NFKC").toLowerCase();
  const number = (n) => n.toLocaleString("en-US");

  // figures: drawn when they are seen first, in the colours of the page and as wide as there is room
  const root = document.documentElement;
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const bands = {
    home: "--stays", "split off": "--split-off", merged: "--joined", moved: "--moved",
    missing: "--absent", extra: "--extra",
  };
  const shown = { amp: "&", lt: "<", gt: ">" };
  const cut = (written, most) => {
    const text = [...written.replace(/&(amp|lt|gt);/g, (_, name) => shown[name])];
    if (text.length <= most) return written;
    const half = Math.max(2, Math.floor((most - 1) / 2));
    return `${text.slice(0, half).join("")}…${text.slice(-half).join("")}`
      .replace(/[&<>]/g, (c) => `&${{ "&": "amp", "<": "lt", ">": "gt" }[c]};`);
  };
  const lines = (text, most) => {
    const found = [""];
    for (const word of text.split(" ")) {
      const last = found.at(-1);
      if (last && last.length + word.length >= most) found.push(word);
      else found[found.length - 1] = last ? `${last} ${word}` : word;
    }
    return found.join("<br>");
  };
  const label = () => ({
    align: "left", bgcolor: colour("--shade"), bordercolor: colour("--soft"), namelength: -1,
    font: { color: colour("--ink"), size: 13 },
  });
  const themed = (layout, data, wide) => {
    const line = colour("--line");
    const axis = (given = {}, most = 99) => ({
      ...given, gridcolor: line, linecolor: line,
      title: given.title && { ...given.title, text: lines(given.title.text, most), standoff: 12 },
    });
    const yaxis = axis(layout.yaxis);
    if (data.some((trace) => trace.orientation === "h")) {
      yaxis.tickmode = "array";
      yaxis.tickvals = data[0].y;
      yaxis.ticktext = data[0].y.map((name) => cut(name, wide / 20));
    }
    return {
      ...layout, width: wide, autosize: false, paper_bgcolor: colour("--paper"),
      font: { ...layout.font, color: colour("--ink") },
      legend: { ...layout.legend, itemsizing: "constant" },
      hoverlabel: label(),
      xaxis: axis(layout.xaxis, wide / 11), yaxis,
    };
  };
  const fitted = (trace, wide) => {
    if (trace.type !== "sankey") return { ...trace, name: trace.name && cut(trace.name, wide / 9) };
    const { node, link } = trace;
    return {
      ...trace,
      node: {
        ...node, customdata: node.label, hovertemplate: "%{customdata}<extra></extra>",
        label: node.label.map((name) => cut(name, wide / 17)),
      },
      link: {
        ...link, color: trace.meta.fates.map((fate) => colour(bands[fate])),
        customdata: link.customdata.map((said) =>
          said.split("<br>").map((line) => lines(line, wide / 9)).join("<br>")),
      },
    };
  };
  const draw = (element, figure) => {
    const wide = element.wide = element.clientWidth;
    if (!wide) return;
    element.drawn = figure;
    Plotly.purge(element);  // what is there would move to its new place slowly, also on paper
    Plotly.newPlot(element, figure.data.map((trace) => fitted(trace, wide)),
      themed(figure.layout, figure.data, wide), { displayModeBar: false, typesetMath: false });
  };
  const figureOf = (element) => {
    const given = data.figures[element.dataset.figure];
    return Array.isArray(given) ? given[0] : given;
  };
  const figures = all(".figure");
  const redraw = () => {
    for (const element of figures) if (element.drawn) draw(element, element.drawn);
  };
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !target.drawn) draw(target, figureOf(target));
    }
  }, { rootMargin: "400px" });
  const sizer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.drawn && target.clientWidth !== target.wide) draw(target, target.drawn);
    }
  });
  for (const element of figures) {
    element.style.minHeight = `${figureOf(element).layout.height}px`;
    watcher.observe(element);
    sizer.observe(element);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => {
    root.classList.add("on-paper");
    folding.forEach(fold);
    for (const element of figures) draw(element, element.drawn || figureOf(element));
  });
  addEventListener("afterprint", () => {
    root.classList.remove("on-paper");
    folding.forEach(fold);
    redraw();
  });

  // tables that are wider than their room are folded: each row becomes a block
  const fold = (box) => {
    const room = (box.closest(".beside") || box).clientWidth;
    if (!room) return;
    box.classList.remove("folded");
    box.classList.toggle("folded", box.firstElementChild.offsetWidth > room + 1);
  };
  const folding = all(".folds");
  const folder = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      for (const box of target.matches(".folds") ? [target] : all(".folds", target)) fold(box);
    }
  });
  for (const room of new Set(folding.map((box) => box.closest(".beside") || box))) folder.observe(room);

  // one guess at a time
  const chooser = document.getElementById("system");
  if (chooser) {
    const show = () => {
      for (const system of all(".system")) system.hidden = system.dataset.system !== chooser.value;
    };
    chooser.addEventListener("change", show);
    show();
  }

  // tables: sorted by a click on a heading, filtered by a search
  const figure = /^<?\s*([-−+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*%?\s*(?:[±–(†p].*)?$/i;
  const key = (cell) => {
    const text = cell.textContent.trim();
    const found = figure.exec(text);
    if (!found) return plain(text);
    return Number(found[1].replaceAll(",", "").replace("−", "-")) - (text.startsWith("<") ? 1e-9 : 0);
  };
  const order = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return typeof a === "number" ? a - b : order.compare(a, b);
  };
  for (const button of all("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const table = head.closest("table");
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of all("th", table)) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[head.cellIndex]), row]);
      rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  }
  for (const input of all("input.filter")) {
    const rows = [...document.getElementById(input.dataset.table).tBodies[0].rows];
    const texts = rows.map((row) => plain([...row.cells].map((c) => c.textContent).join("\n")));
    const found = input.closest(".controls").querySelector(".found");
    input.addEventListener("input", () => {
      const wanted = plain(input.value.trim());
      let shown = 0;
      rows.forEach((row, i) => {
        row.hidden = wanted !== "" && !texts[i].includes(wanted);
        shown += row.hidden ? 0 : 1;
      });
      found.textContent = wanted ? `${number(shown)} of ${number(rows.length)} rows` : "";
    });
  }

  all(".system").forEach((system, place) => {
    const told = data.systems[place];

    // components: drawn together or one by one, found by the name of a cluster or an object
    const select = system.querySelector("select.component");
    if (select) {
      const picture = system.querySelector('[data-figure$="-alluvial"]');
      const drawings = data.figures[picture.dataset.figure];
      const details = all(".component-details", system);
      const show = (value) => {
        select.value = value;
        picture.style.minHeight = "";
        draw(picture, drawings[value === "all" ? 0 : 1 + Number(value)]);
      };
      select.addEventListener("change", () => show(select.value));
      const input = system.querySelector(".find-component");
      const found = input.closest(".controls").querySelector(".found");
      const known = told.components.map((words, i) => [i, words.map(plain)]);
      input.addEventListener("input", () => {
        const wanted = plain(input.value.trim());
        const hits = known
          .filter(([, words]) => words.some((word) => word.includes(wanted)));
        const exact = hits.filter(([, words]) => words.includes(wanted));
        details.forEach((one, i) => {
          one.hidden = wanted !== "" && !hits.some(([hit]) => hit === i);
        });
        found.textContent = wanted
          ? `${number(hits.length)} of ${number(details.length)} components` : "";
        if (wanted === "") show("all");
        else if (hits.length) show(String((exact[0] || hits[0])[0]));
      });
    }

    // objects: their companions, from the clusters that the page holds
    const input = system.querySelector(".look-up");
    if (!input) return;
    const objects = told.lookup;
    const options = system.querySelector("datalist");
    const answer = system.querySelector(".object");
    const names = objects.ids.map((id, i) =>
      objects.samples ? `${objects.sampleNames[objects.samples[i]]} / ${id}` : id);
    const together = (codes) => {
      const groups = new Map();
      codes.forEach((code, i) => {
        if (code >= 0) (groups.get(code) || groups.set(code, []).get(code)).push(i);
      });
      return groups;
    };
    const ofTruth = together(objects.truth);
    const ofGuess = together(objects.guess);
    const share = (part, whole) => (whole ? part / whole : 1);
    const tell = (i) => {
      const truth = ofTruth.get(objects.truth[i]) || [];
      const guess = ofGuess.get(objects.guess[i]) || [];
      const found = truth.filter((j) => j !== i && objects.guess[j] === objects.guess[i]
        && objects.guess[i] >= 0);
      const missing = truth.filter((j) => j !== i && (objects.guess[j] !== objects.guess[i]
        || objects.guess[i] < 0));
      const wrong = guess.filter((j) => j !== i && objects.truth[j] !== objects.truth[i]);
      const known = truth.length > 0 && guess.length > 0;
      const precision = known ? share(found.length, guess.length - 1) : 0;
      const recall = known ? share(found.length, truth.length - 1) : 0;
      const f = precision + recall ? (2 * precision * recall) / (precision + recall) : 0;
      const outcome = !truth.length ? "extra" : !guess.length ? "missing"
        : missing.length ? (wrong.length ? "both" : "split") : wrong.length ? "merged" : "right";
      const words = { missing: "missing in guess", extra: "not in truth" };
      const absent = missing.filter((j) => objects.guess[j] < 0);
      const strange = wrong.filter((j) => objects.truth[j] < 0);
      answer.replaceChildren();
      const title = made("p", "", answer);
      const cluster = (side, code) => (code < 0 ? "none" : objects[`${side}Names`][code]);
      for (const [word, value] of [["object ", names[i]],
        [", truth ", cluster("truth", objects.truth[i])],
        [", guess ", cluster("guess", objects.guess[i])]]) {
        title.append(word);
        made("bdi", value, title).style.fontWeight = "600";
      }
      title.append(`: ${words[outcome] || outcome}`);
      const list = made("dl", "", answer);
      for (const [what, who] of [["is rightly with", found], ["should be with", missing],
        ["is wrongly with", wrong], [words.missing, absent], [words.extra, strange]]) {
        if (!who.length && Object.values(words).includes(what)) continue;
        made("dt", `${what} (${number(who.length)})`, list);
        const shown = made("dd", who.length ? "" : "nobody", list);
        who.slice(0, 50).forEach((j, k) => {
          if (k) shown.append(", ");
          made("bdi", objects.ids[j], shown);
        });
        if (who.length > 50) shown.append(", …");
      }
      made("dt", "scores", list);
      made("dd", `elm_precision ${precision.toFixed(4)}, elm_recall ${recall.toFixed(4)}, ` +
        `elm_f ${f.toFixed(4)}`, list);
    };
    const plains = names.map(plain);
    const short = objects.samples ? objects.ids.map(plain) : plains;
    const where = (fits) => names.map((_, i) => i).filter(fits);
    const lookUp = () => {
      const typed = input.value;
      const wanted = plain(typed.trim());
      answer.replaceChildren();
      options.replaceChildren();
      if (!wanted) return;
      let hits = where((i) => names[i] === typed || objects.ids[i] === typed);
      if (!hits.length) hits = where((i) => plains[i] === wanted || short[i] === wanted);
      if (!hits.length) hits = where((i) => plains[i].includes(wanted));
      if (hits.length === 1) { tell(hits[0]); return; }
      const said = made("p", hits.length ? `${number(hits.length)} objects match this name: `
        : "no such object here", answer);
      for (const i of hits.slice(0, 20)) {
        made("option", "", options).value = names[i];
        const button = made("button", names[i], said);
        button.type = "button";
        button.addEventListener("click", () => tell(i));
      }
      if (hits.length > 20) said.append("…");
    };
    input.addEventListener("input", lookUp);
  });
})();
