"use strict";
(() => {
  const one = (query, root = document) => root.querySelector(query);
  const all = (query, root = document) => [...root.querySelectorAll(query)];
  const made = (name, text, ...classes) => {
    const element = document.createElement(name);
    element.textContent = text;
    element.classList.add(...classes);
    return element;
  };
  const token = one('meta[name="clusterdiff"]').content;
  const form = one("#filter");
  const room = one("#part");
  const list = one("#queue");
  const article = () => one("article", room);
  const number = (n) => n.toLocaleString("en-US");
  let busy = false;

  // asking the server: what fails is said, and the page stays where it is
  const trouble = (text) => { one("#trouble").textContent = text; };
  const say = (text) => { one("#status").textContent = text; };
  const ask = async (path, options = {}) => {
    let answer;
    try {
      answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
    } catch {
      throw new Error("clusterdiff does not answer: it was stopped. Start it again to go on.");
    }
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  };
  const change = async (path, given) => (await ask(path, {
    method: "POST", body: JSON.stringify(given),
    headers: { "Content-Type": "application/json", "X-Clusterdiff": token },
  })).json();
  const alone = async (work) => {  // one change after the other
    if (busy) return;
    busy = true;
    room.setAttribute("aria-busy", "true");
    try {
      await work();
      trouble("");
    } catch (error) {
      trouble(error.message);
    } finally {
      busy = false;
      room.removeAttribute("aria-busy");
    }
  };

  // the queue
  const asked = (more = {}) => {
    const query = new URLSearchParams(new FormData(form));
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    for (const [name, value] of [...query]) {
      if (value === "" || (name === "least" && value === "1") || (name === "order" && value === "loss")) query.delete(name);
    }
    return query;
  };
  const mark = () => {
    const part = article()?.dataset.part;
    for (const link of all("a[data-part]", list)) {
      if (link.dataset.part === part) {
        link.setAttribute("aria-current", "true");
        if (list.scrollHeight > list.clientHeight) link.scrollIntoView({ block: "nearest" });
      } else link.removeAttribute("aria-current");
    }
  };
  let filling = 0;
  const fill = async (more = {}) => {
    const part = article()?.dataset.part;
    const own = filling += 1;
    const html = await (await ask(`queue?${asked({ ...(part && { part }), ...more })}`)).text();
    if (own !== filling) return;  // a later question was asked
    list.innerHTML = html;
    mark();
  };
  const refill = () => { fill().catch((error) => trouble(error.message)); };  // nobody waits for it
  const progress = ({ decided, parts, share }) => {
    one("#done").value = decided;
    one("#progress").textContent = `${number(decided)} of ${number(parts)} decided, ${share} of the loss`;
  };

  // the part
  const show = (html, push = true) => {
    room.innerHTML = html;
    room.scrollTop = 0;
    const part = article()?.dataset.part;
    if (push && part) history.pushState(null, "", `?${asked({ part })}`);
    prepare();
    one("h2", room)?.focus({ preventScroll: true });
  };
  const load = async (query, push = true) => {
    const answer = await ask(`part?${query}`);
    if (answer.status === 204) return false;
    show(await answer.text(), push);
    if (one(`a[data-part="${article().dataset.part}"]`, list)) mark();
    else refill();
    return true;
  };
  const step = (by) => alone(async () => {
    const part = article()?.dataset.part ?? "0";
    if (!await load(asked({ part, step: by }))) say(by > 0 ? "This is the last part." : "This is the first part.");
  });

  // records in groups: those of truth or of the run, and where a reviewer moves them
  let base = "truth";
  let moves = new Map();
  let fresh = 0;
  const rows = () => all("tr[data-place]", room);
  const own = (row) => row.dataset[base] || (base === "run" ? row.dataset.truth : "");
  const group = (row) => moves.get(row.dataset.place) ?? own(row);
  const nameOf = (key) => {
    if (key.startsWith("n")) return `New cluster ${key.slice(1)}`;
    const side = key.startsWith("g") ? "run" : "truth";
    const row = rows().find((r) => r.dataset[side] === key);
    if (!key) return rows().find((r) => !r.dataset.truth)?.dataset.truthName ?? "no cluster";
    return row?.dataset[`${side}Name`] ?? key;
  };
  const label = (key) => (key.startsWith("n") ? "Right" : key.startsWith("g") ? "Run" : "Truth");
  const arrange = () => {
    const table = one("table", room);
    if (!table?.dataset.decidable) return;
    const names = new Map([...rows().map(group), ...rows().map(own)].map((key) => [key, nameOf(key)]));
    table.className = `by-${base}`;
    const wide = one("thead tr", table).cells.length - 1;
    const groups = new Map();
    for (const row of rows()) {
      const key = group(row);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(row);
      row.classList.toggle("away", moves.has(row.dataset.place));
    }
    for (const body of [...table.tBodies]) body.remove();
    const sorted = [...groups].sort(([a, x], [b, y]) => a.startsWith("n") - b.startsWith("n") || y.length - x.length);
    for (const [key, some] of sorted) {
      const body = document.createElement("tbody");
      body.dataset.group = key;
      const head = made("th", "");
      head.colSpan = wide;
      head.scope = "rowgroup";
      head.append(made("span", label(key), "side-of"), " ");
      const colour = key.startsWith("g") ? some.find((r) => r.dataset.run === key)?.dataset.colour : undefined;
      if (colour) head.append(made("span", "", "swatch", `c${colour}`));
      head.append(made("bdi", names.get(key)), " ", made("span", String(some.length), "count"));
      const line = made("tr", "", "group");
      line.append(head);
      some.sort((a, b) => a.dataset.place - b.dataset.place);
      body.append(line, ...some);
      table.append(body);
    }
    const select = one("#target", room);
    const kept = select.value;
    const keys = [...names.keys()].filter((key) => key);
    select.replaceChildren(...keys.map((key) => new Option(`${label(key)} ${names.get(key)}`, key)),
      new Option("a new cluster", "new"));
    select.value = keys.includes(kept) ? kept : "new";
    one("#unmove", room).hidden = moves.size === 0;
    one("#moved", room).textContent = moves.size
      ? `${number(moves.size)} moved. Keys 1 and 2 record these groups as right.` : "";
    const press = one("#regroup", room);
    press.setAttribute("aria-pressed", String(base === "run"));
    press.firstChild.textContent = base === "run" ? "Group by truth " : "Group by run ";
  };
  const prepare = () => {
    base = "truth";
    moves = new Map();
    for (const row of rows()) if (row.dataset.moved) moves.set(row.dataset.place, row.dataset.moved);
    fresh = Math.max(0, ...[...moves.values()].filter((key) => key.startsWith("n")).map((key) => Number(key.slice(1))));
    arrange();
  };
  const regroup = () => {
    if (!one("#regroup", room)) return;
    if (moves.size) { say("Put the moved records back first."); one("#unmove", room).focus(); return; }
    base = base === "truth" ? "run" : "truth";
    arrange();
    say(`Grouped by ${base}.`);
  };
  const move = () => {
    const picked = rows().filter((row) => one(".pick input", row).checked);
    const select = one("#target", room);
    if (!picked.length) { say("Select the records to move first."); one(".pick input", room)?.focus(); return; }
    const target = select.value === "new" ? `n${fresh += 1}` : select.value;
    for (const row of picked) {
      if (own(row) === target) moves.delete(row.dataset.place);
      else moves.set(row.dataset.place, target);
      one(".pick input", row).checked = false;
      row.classList.remove("picked");
    }
    arrange();
    say(`${picked.length} moved to ${nameOf(target)}.`);
  };
  const putBack = () => { moves.clear(); arrange(); say("All records are back."); };

  // decisions: the page moves on once the server says that they are on disk
  const decide = (verdict, onward = true) => alone(async () => {
    const part = article();
    if (!part || !one(".decide", part)) return;
    if (verdict === "both" && moves.size) {
      throw new Error("If both are defensible, no record moves: put the moved records back first.");
    }
    const note = one("#note", part).value.trim();
    const { progress: done } = await change("decide", {
      part: part.dataset.key, verdict, note, base, moves: Object.fromEntries(moves),
    });
    progress(done);
    const here = part.dataset.part;
    const said = verdict ? one(`[data-verdict="${verdict}"]`, part).textContent.trim().slice(1) : "Note saved";
    if (onward && await load(asked({ part: here, step: 1, undecided: 1 }))) {
      refill();
      say(`${said}. ${number(done.decided)} of ${number(done.parts)} decided.`);
    } else {
      await load(asked({ part: here }), false);
      refill();
      say(onward ? `${said}. No undecided part comes after this one.` : `${said}.`);
    }
  });
  const undo = () => alone(async () => {
    const part = article();
    const { rank, progress: done } = await change("undo", { part: part?.dataset.key ?? null });
    progress(done);
    if (rank === null) { say("There is nothing to undo."); return; }
    await load(asked({ part: rank }));
    refill();
    say("The decision is taken back.");
  });

  room.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.step) step(Number(button.dataset.step));
    else if (button.dataset.verdict) decide(button.dataset.verdict);
    else ({ undo, move, unmove: putBack, regroup })[button.id]?.();
  });
  room.addEventListener("change", (event) => {
    event.target.closest(".pick")?.parentElement.classList.toggle("picked", event.target.checked);
  });
  room.addEventListener("keydown", (event) => {
    if (event.target.id !== "note") return;
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter") {
      event.preventDefault();
      decide(article().dataset.verdict ?? null, false);
    }
  });
  list.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-part]");
    if (link) {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      alone(() => load(asked({ part: link.dataset.part })));
    }
    const turn = event.target.closest("button[data-page]");
    if (turn) alone(async () => { await fill({ page: turn.dataset.page }); list.scrollTop = 0; });
  });
  let waiting;
  const filter = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (busy) { filter(); return; }
      alone(async () => {
        await fill({ page: 1 });
        const first = one("a[data-part]", list);
        if (first && !one("a[aria-current]", list)) {
          const focused = document.activeElement;
          await load(asked({ part: first.dataset.part }));
          focused.focus({ preventScroll: true });
        } else history.replaceState(null, "", `?${asked({ part: article()?.dataset.part ?? "" })}`);
        say(one("#found").textContent);
      });
    }, 150);
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
  addEventListener("popstate", () => location.reload());

  // keys
  const keys = one("#keys");
  one("#help").addEventListener("click", () => keys.showModal());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || keys.open) return;
    if (!one("#single").checked || event.repeat && !"jk".includes(event.key)) return;
    const at = event.target;
    if (at.matches("textarea, select, input:not([type=checkbox])") && event.key !== "Escape") return;
    const act = {
      j: () => step(1), k: () => step(-1), 1: () => decide("run"), 2: () => decide("truth"), 3: () => decide("both"),
      u: undo, g: regroup, m: () => { if (one("#move", room)) move(); },
      n: () => one("#note", room)?.focus(), "/": () => form.elements.text.focus(), "?": () => keys.showModal(),
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  prepare();
  mark();
})();
