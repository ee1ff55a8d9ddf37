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

  // figures: drawn when they are seen first, in the colours of the page
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const themed = (layout) => {
    const line = colour("--line");
    const axis = (given) => ({ ...given, gridcolor: line, linecolor: line });
    return {
      ...layout, autosize: true, paper_bgcolor: colour("--paper"),
      font: { ...layout.font, color: colour("--ink") },
      xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis),
    };
  };
  const draw = (element, figure) => {
    element.drawn = figure;
    Plotly.react(element, figure.data, themed(figure.layout), {
      responsive: true, displaylogo: false, displayModeBar: false,
    });
  };
  const figureOf = (element) => {
    const given = data.figures[element.dataset.figure];
    return Array.isArray(given) ? given[0] : given;
  };
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !target.drawn) draw(target, figureOf(target));
    }
  }, { rootMargin: "400px" });
  for (const element of all(".figure")) {
    element.style.minHeight = `${figureOf(element).layout.height}px`;
    watcher.observe(element);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const element of all(".figure")) if (element.drawn) draw(element, element.drawn);
  });
  addEventListener("beforeprint", () => {
    for (const element of all(".figure")) if (!element.drawn) draw(element, figureOf(element));
  });

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
  const key = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const value = Number(text.replace(/[,%\s]|^<|[–±].*$/g, ""));
    return text !== "" && !Number.isNaN(value) ? value : plain(text);
  };
  const compare = (a, b) =>
    typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  for (const button of all("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const table = head.closest("table");
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of all("th", table)) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].map((row) => [key(row, head.cellIndex), row]);
      rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  }
  for (const input of all("input.filter")) {
    const rows = [...document.getElementById(input.dataset.table).tBodies[0].rows];
    const found = input.closest(".controls").querySelector(".found");
    input.addEventListener("input", () => {
      const wanted = plain(input.value.trim());
      let shown = 0;
      for (const row of rows) {
        row.hidden = wanted !== "" && !plain(row.textContent).includes(wanted);
        shown += row.hidden ? 0 : 1;
      }
      found.textContent = wanted ? `${number(shown)} of ${number(rows.length)} rows` : "";
    });
  }

  all(".system").forEach((system, place) => {
    const told = data.systems[place];

    // components: drawn together or one by one, found by the name of a cluster or an object
    const select = system.querySelector("select.component");
    if (select) {
      const picture = system.querySelector('[data-figure$="-alluvial"]');
      const figures = data.figures[picture.dataset.figure];
      const details = all(".component-details", system);
      const show = (value) => {
        select.value = value;
        picture.style.minHeight = "";
        draw(picture, figures[value === "all" ? 0 : 1 + Number(value)]);
      };
      select.addEventListener("change", () => show(select.value));
      const input = system.querySelector(".find-component");
      const found = input.closest(".controls").querySelector(".found");
      input.addEventListener("input", () => {
        const wanted = plain(input.value.trim());
        const hits = told.components
          .map((words, i) => [i, words.map(plain)])
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
      const missing = truth.filter((j) => j !== i && !found.includes(j));
      const wrong = guess.filter((j) => j !== i && objects.truth[j] !== objects.truth[i]);
      const known = truth.length > 0 && guess.length > 0;
      const precision = known ? share(found.length, guess.length - 1) : 0;
      const recall = known ? share(found.length, truth.length - 1) : 0;
      const f = precision + recall ? (2 * precision * recall) / (precision + recall) : 0;
      const outcome = !truth.length ? "extra" : !guess.length ? "missing"
        : missing.length ? (wrong.length ? "both" : "split") : wrong.length ? "merged" : "right";
      answer.replaceChildren();
      const title = made("p", "", answer);
      const cluster = (side, code) => (code < 0 ? "none" : objects[`${side}Names`][code]);
      for (const [word, value] of [["object ", names[i]],
        [", truth ", cluster("truth", objects.truth[i])],
        [", guess ", cluster("guess", objects.guess[i])]]) {
        title.append(word);
        made("bdi", value, title).style.fontWeight = "600";
      }
      title.append(`: ${outcome}`);
      const list = made("dl", "", answer);
      for (const [what, who] of [["is rightly with", found], ["should be with", missing],
        ["is wrongly with", wrong]]) {
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
    const lookUp = () => {
      const wanted = plain(input.value.trim());
      const hits = [];
      let exact = -1;
      if (wanted) {
        for (let i = 0; i < plains.length; i += 1) {
          if (plains[i] === wanted || plain(objects.ids[i]) === wanted) { exact = i; break; }
          if (hits.length < 20 && plains[i].includes(wanted)) hits.push(i);
        }
      }
      options.replaceChildren();
      for (const i of hits) made("option", "", options).value = names[i];
      answer.replaceChildren();
      if (exact >= 0) tell(exact);
      else if (hits.length === 1) tell(hits[0]);
      else if (wanted) made("p", hits.length ? "several objects are called like that" : "no such object here", answer);
    };
    input.addEventListener("input", lookUp);
  });
})();
