"use strict";
(() => {
  const root = document.documentElement;
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const made = (name, text = "", parent = null) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (parent) parent.append(element);
    return element;
  };
  const plain = (text) => text.normalize("NFKC").toLowerCase();
  const number = (n) => n.toLocaleString("en-US");
  const unpacked = async (id) => {
    const given = document.getElementById(id);
    if (!given) return null;
    const bytes = Uint8Array.from(atob(given.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  };

  // what a measure means, beside its name
  const tip = document.getElementById("tip");
  const untip = () => { tip.hidden = true; };
  const say = (word) => {
    tip.textContent = word.dataset.tip;
    tip.hidden = false;
    word.setAttribute("aria-describedby", "tip");
    const box = word.getBoundingClientRect();
    const room = root.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${Math.max(8, Math.min(box.left, room))}px`;
    const below = box.bottom + 6 + tip.offsetHeight < innerHeight;
    tip.style.top = `${below ? box.bottom + 6 : box.top - 6 - tip.offsetHeight}px`;
  };
  for (const word of all(".tip")) {
    for (const event of ["mouseenter", "focus"]) word.addEventListener(event, () => say(word));
    for (const event of ["mouseleave", "blur"]) word.addEventListener(event, untip);
  }
  addEventListener("keydown", (event) => { if (event.key === "Escape") untip(); });
  addEventListener("scroll", () => {
    if (!tip.hidden && document.activeElement.matches(".tip")) say(document.activeElement);
    else untip();
  }, { passive: true });

  // clusters of a part that opens: true ones on the left, bands of what they share with guesses
  const svg = (name, parent, given) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(given)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  };
  const MOST = 24;
  const draw = (part) => {
    const table = part.querySelector("table.cells");
    const given = [...(table ? table.tBodies[0].rows : [])].map((row) =>
      [...row.cells].map((cell) => cell.textContent));
    const has = given.length > 1 && given.length <= MOST
      && table.tHead.rows[0].cells[5]?.textContent === "fate";
    if (!has || part.querySelector(".flow")) return;
    const count = (text) => Number(text.replaceAll(",", ""));
    const bands = given.filter((row) => row[5]).map((row) => ({
      left: row[5] === "not in truth" ? row[5] : row[0],
      right: row[5] === "missing in guess" ? row[5] : row[2],
      many: count(row[4]), kind: row[5].replaceAll(" ", "-"), told: row,
    }));
    const flow = made("div");
    flow.className = "flow";
    flow.setAttribute("aria-hidden", "true");
    const most = Math.max(...bands.map((band) => band.many));
    const tall = (many) => Math.max(3, Math.round((28 * many) / most));
    const side = (key) => {
      const nodes = new Map();
      for (const band of bands) {
        const node = nodes.get(band[key]) || { name: band[key], many: 0, tall: 0 };
        band[`${key}At`] = node.tall;
        node.many += band.many;
        node.tall += tall(band.many);
        nodes.set(node.name, node);
      }
      let top = 0;
      for (const node of nodes.values()) {
        node.top = top + Math.max(0, (18 - node.tall) / 2);
        top += Math.max(18, node.tall) + 6;
      }
      return [nodes, top - 6];
    };
    const [lefts, leftTall] = side("left");
    const [rights, rightTall] = side("right");
    const height = Math.max(leftTall, rightTall);
    const shift = { left: (height - leftTall) / 2, right: (height - rightTall) / 2 };
    flow.style.height = `${height}px`;
    const picture = svg("svg", flow, { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none" });
    for (const band of bands) {
      const a = lefts.get(band.left).top + band.leftAt + shift.left;
      const b = rights.get(band.right).top + band.rightAt + shift.right;
      const wide = tall(band.many);
      const path = svg("path", picture, {
        class: band.kind,
        d: `M0 ${a}C50 ${a} 50 ${b} 100 ${b}V${b + wide}C50 ${b + wide} 50 ${a + wide} 0 ${a + wide}Z`,
      });
      svg("title", path, {}).textContent = `${number(band.many)} of ${band.left} in ${band.right}: ${band.told[5]}`;
    }
    for (const [key, nodes] of [["left", lefts], ["right", rights]]) {
      for (const node of nodes.values()) {
        const label = made("span", "", flow);
        label.className = key;
        label.style.top = `${node.top + shift[key] + node.tall / 2}px`;
        made("bdi", node.name, label);
        made("small", ` ${number(node.many)}`, label);
      }
    }
    table.closest(".scroll").before(flow);
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.matches(".part")) draw(event.target);
  }, true);
  all(".part[open]").forEach(draw);

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
  const shown = () => all(".system")[chooser ? chooser.value : 0];
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
  for (const button of all("thead button")) {
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

  // parts: found by any word in them, by shape or by sample; a page of them at a time
  const AT_ONCE = 50;
  const entities = { amp: "&", lt: "<", gt: ">", "#34": '"', "#39": "'" };
  const words = (html) => plain(html.replace(/<thead>.*?<\/thead>|<caption.*?<\/caption>/gs, "")
    .replace(/<\/(?:td|th|summary|p|span)>/g, "\n").replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|#34|#39);/g, (_, name) => entities[name]));
  const packages = all(".system").map((system, place) => {
    const of = (query) => system.querySelector(query);
    const [input, every, found, results, more] =
      [".find", ".all", ".browse .found", ".results", ".more"].map(of);
    let parts = null;
    let filter = {};
    let hits = [];
    const ready = unpacked(`s${place}-parts`).then((given) => { parts = given; })
      .catch(() => { found.textContent = "this browser is too old to search here"; });
    const extend = () => {
      const from = results.children.length;
      const holder = document.createElement("template");
      // written by the page itself, in which every value is escaped
      holder.innerHTML = hits.slice(from, from + AT_ONCE).map((part) => part[2]).join("");
      results.append(holder.content);
      more.hidden = results.children.length >= hits.length;
    };
    const search = async () => {
      await ready;
      const wanted = plain(input.value.trim());
      if (wanted) for (const part of parts) part[3] ??= words(part[2]);
      hits = parts.filter(([shape, sample, , text]) => (!filter.shape || shape === filter.shape)
        && (!filter.sample || sample === filter.sample) && (!wanted || text.includes(wanted)));
      const asked = wanted || filter.shape || filter.sample;
      if (!asked) hits = [];
      results.replaceChildren();
      extend();
      if (hits.length === 1) results.firstChild.open = true;
      every.hidden = !asked;
      found.textContent = asked ? `${number(hits.length)} of ${number(parts.length)}`
        + (filter.shape || filter.sample ? `: ${filter.shape || filter.sample}` : "") : "";
    };
    more.addEventListener("click", extend);
    every.addEventListener("click", () => {
      filter = {};
      input.value = "";
      input.dispatchEvent(new Event("input"));
      input.focus();
    });
    input.addEventListener("input", search);
    system.find = (asked) => {
      filter = asked;
      input.value = asked.text || "";
      of(".object").replaceChildren();
      search();
      of(".browse").scrollIntoView();
      input.focus({ preventScroll: true });
    };
    for (const button of all(".go[data-shape]", system)) {
      button.addEventListener("click", () => system.find({ shape: button.dataset.shape }));
    }
    for (const button of all(`#s${place}-clusters .go`)) {
      const key = button.closest("table").tHead.rows[0].cells[0].textContent === "sample" ? "sample" : "text";
      button.addEventListener("click", () => system.find({ [key]: button.textContent }));
    }

    // objects: their companions, from the clusters that the page holds
    const answer = of(".object");
    const looked = unpacked(`s${place}-objects`).then((given) => {
      const [objects] = given || [null];
      if (!objects) return;
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
        if (!objects.once) return;  // objects that count several times score by these numbers
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
        if (!wanted) return;
        let hits = where((i) => names[i] === typed || objects.ids[i] === typed);
        if (!hits.length) hits = where((i) => plains[i] === wanted || short[i] === wanted);
        if (!hits.length) hits = where((i) => plains[i].includes(wanted));
        if (hits.length === 1) { tell(hits[0]); return; }
        if (!hits.length) return;
        const said = made("p", `${number(hits.length)} objects match this name: `, answer);
        for (const i of hits.slice(0, 20)) {
          const button = made("button", names[i], said);
          button.type = "button";
          button.addEventListener("click", () => tell(i));
        }
        if (hits.length > 20) said.append("…");
      };
      input.addEventListener("input", lookUp);
    });
    return Promise.all([ready, looked]);
  });
  Promise.all(packages).then(() => { root.dataset.ready = "yes"; });

  // samples: a bar lists those that score so, a name the parts of that sample
  const samples = document.getElementById("samples-table");
  if (samples) {
    const bars = all(".histogram button");
    const scores = document.querySelector(".histogram").dataset.values.split(",").map(Number);
    const rows = [...samples.tBodies[0].rows].map((row, i) => [row, scores[i]]);
    for (const bar of bars) {
      bar.addEventListener("click", () => {
        const chosen = bar.getAttribute("aria-pressed") !== "true";
        for (const other of bars) other.setAttribute("aria-pressed", String(chosen && other === bar));
        const [low, high] = [Number(bar.dataset.low), Number(bar.dataset.high)];
        for (const [row, score] of rows) {
          const inside = score >= low && (score < high || (score === high && bar === bars.at(-1)));
          row.hidden = chosen && !inside;
        }
      });
    }
    for (const button of all(".go", samples)) {
      button.addEventListener("click", () => shown().find({ sample: button.textContent }));
    }
  }

  // paper shows what is closed on the screen
  let closed = [];
  addEventListener("beforeprint", () => {
    root.classList.add("on-paper");
    closed = all("details:not([open])");
    for (const one of closed) one.open = true;
    all(".part").forEach(draw);
    folding.forEach(fold);
  });
  addEventListener("afterprint", () => {
    root.classList.remove("on-paper");
    for (const one of closed) one.open = false;
    folding.forEach(fold);
  });
})();
