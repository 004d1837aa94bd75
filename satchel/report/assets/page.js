"use strict";
(() => {
  // Text of a repository reaches the page as text nodes and attribute values only: never as markup.
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = Object.fromEntries(data.columns.map((name, i) => [name, i]));
  const rows = data.rows;
  const PAGE = 20;
  const whole = new Intl.NumberFormat("en");
  const worth = (v) => (v === null ? "–" : Number.isInteger(v) ? whole.format(v) : v.toFixed(Math.abs(v) < 0.01 ? 6 : 4));
  const get = (i, name) => rows[i][at[name]];
  const words = (text) => text.replaceAll("_", " ");
  const naming = (list, number) => (number < 0 ? "" : list[number]);
  const title = (i) => get(i, "title") || get(i, "id");
  const reason = (i) => words(data.reasons[get(i, "reason")]);

  function h(tag, props, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(props || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (typeof value === "function") node.addEventListener(name, value);
      else if (name === "class") node.className = value;
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined && child !== false) node.append(child);
    }
    return node;
  }

  let counter = 0;

  class Table {
    constructor(host, options) {
      Object.assign(this, { filters: [], chips: null, details: null, size: PAGE, find: null }, options);
      this.page = 0;
      this.opened = new Set();
      this.chosen = new Map();
      this.hay = null;
      this.key = `t${++counter}`;
      this.build(host);
      this.update();
    }

    build(host) {
      this.input = h("input", { type: "search", autocomplete: "off", spellcheck: "false", input: () => this.restart() });
      const tools = h("div", { class: "tools" });
      if (this.find) tools.append(h("label", { class: "find" }, `Search ${this.name}`, this.input));
      this.selects = this.filters.map((filter) => {
        const names = [...new Set(this.items.map(filter.value))].filter((n) => n !== "").sort();
        const select = h("select", { change: () => this.restart() }, h("option", { value: "" }, "all"),
          names.map((name) => h("option", { value: name }, filter.raw ? name : words(name))));
        if (filter.start && names.includes(filter.start)) select.value = filter.start;
        if (names.length > 1) tools.append(h("label", {}, filter.label, select));
        return select;
      });
      const orders = this.columns.filter((c) => c.sort);
      this.order = h("select", { change: () => { this.sort = [Number(this.order.value.slice(1)), this.order.value[0] === "+" ? 1 : -1]; this.restart(); } },
        orders.flatMap((c) => {
          const i = this.columns.indexOf(c);
          return [["-", "high to low"], ["+", "low to high"]].map(([s, text]) => h("option", { value: s + i }, `${c.label}, ${text}`));
        }));
      tools.append(h("label", { class: "sortby" }, "Sort by", this.order));
      if (this.chips) {
        const counts = new Map();
        for (const item of this.items) counts.set(this.chips(item), (counts.get(this.chips(item)) || 0) + 1);
        const list = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
        this.chip = null;
        const group = h("div", { class: "chips", role: "group", "aria-label": `Filter ${this.name} by reason` });
        for (const [name, count] of list) {
          const button = h("button", { type: "button", class: "chip", "aria-pressed": "false", click: () => {
            this.chip = this.chip === name ? null : name;
            for (const other of group.children) other.setAttribute("aria-pressed", String(other.dataset.name === this.chip));
            this.restart();
          } }, words(name), " ", h("b", {}, whole.format(count)));
          button.dataset.name = name;
          group.append(button);
        }
        if (list.length > 1) host.append(group);
      }
      this.heads = this.columns.map((column, i) => h("th", { scope: "col", class: column.num ? "num" : null },
        column.sort ? h("button", { type: "button", click: () => this.turn(i) }, column.label) : column.label));
      this.body = h("tbody", { keydown: (event) => this.arrow(event) });
      const widths = h("colgroup", {}, this.columns.map((column) => {
        const col = h("col");
        if (column.width) col.style.width = column.width;
        return col;
      }));
      this.table = h("table", { class: "grid", role: "table" }, h("caption", { class: "sr" }, this.name), widths,
        h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, this.heads)), this.body);
      this.body.setAttribute("role", "rowgroup");
      this.count = h("p", { class: "count", role: "status" });
      const step = (label, text, move) => h("button", { type: "button", class: "step", "aria-label": `${label}, ${this.name}`, click: () => this.go(move()) }, text);
      this.first = step("First page", "«", () => 0);
      this.back = step("Previous page", "‹ Previous", () => this.page - 1);
      this.next = step("Next page", "Next ›", () => this.page + 1);
      this.last = step("Last page", "»", () => this.pages - 1);
      this.empty = h("p", { class: "none", hidden: true }, "Nothing matches.");
      host.append(tools, this.table, this.empty, h("div", { class: "pager" }, this.count, h("div", {}, this.first, this.back, this.next, this.last)));
    }

    get pages() { return Math.max(1, Math.ceil(this.shown.length / this.size)); }

    restart() { this.page = 0; this.update(); }

    turn(i) {
      const [column, way] = this.sort;
      this.sort = [i, column === i ? -way : this.columns[i].num ? -1 : 1];
      this.restart();
    }

    go(page) { this.page = Math.min(Math.max(0, page), this.pages - 1); this.draw(); }

    update() {
      if (this.find && this.hay === null && this.input.value) this.hay = new Map(this.items.map((i) => [i, this.find(i).toLowerCase()]));
      const terms = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = this.selects.map((select) => select.value);
      const [column, way] = this.sort;
      const value = this.columns[column].sort;
      this.shown = this.items.filter((i) =>
        (this.chip == null || this.chips(i) === this.chip) &&
        wanted.every((name, f) => name === "" || this.filters[f].value(i) === name) &&
        terms.every((term) => this.hay.get(i).includes(term)));
      const keys = new Map(this.shown.map((i) => [i, value(i)]));
      this.shown.sort((a, b) => {
        const x = keys.get(a), y = keys.get(b);
        if (x === y) return a - b;
        if (x === null) return 1;
        if (y === null) return -1;
        return (x < y ? -1 : 1) * way;
      });
      this.order.value = (way > 0 ? "+" : "-") + column;
      this.draw();
    }

    draw() {
      const [column, way] = this.sort;
      this.heads.forEach((head, i) => {
        if (i === column) head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
      });
      const start = this.page * this.size;
      const part = this.shown.slice(start, start + this.size);
      this.body.replaceChildren(...part.flatMap((i) => this.row(i)));
      this.table.hidden = part.length === 0;
      this.empty.hidden = part.length > 0;
      const all = this.items.length === this.shown.length ? "" : ` (${whole.format(this.items.length)} in all)`;
      this.count.textContent = part.length ? `${whole.format(start + 1)}–${whole.format(start + part.length)} of ${whole.format(this.shown.length)}${all}` : `0 of ${whole.format(this.items.length)}`;
      this.first.disabled = this.back.disabled = this.page === 0;
      this.next.disabled = this.last.disabled = this.page >= this.pages - 1;
    }

    row(i) {
      const open = this.opened.has(i);
      const id = `${this.key}-${i}`;
      const cells = this.columns.map((column, c) => {
        const shown = column.cell(i);
        if (c > 0) return h("td", { role: "cell", class: [column.num ? "num" : "", column.whole ? "whole" : ""].join(" ").trim() || null, "data-label": column.label }, shown);
        if (!this.details) return h("th", { role: "rowheader", scope: "row" }, shown);
        return h("th", { role: "rowheader", scope: "row" }, h("button", {
          type: "button", class: "open", "aria-expanded": String(open), "aria-controls": open ? id : null,
          click: () => { if (!this.opened.delete(i)) this.opened.add(i); this.draw(); this.focus(i); },
        }, shown));
      });
      const row = h("tr", { role: "row" }, cells);
      row.dataset.row = i;
      if (!open) return [row];
      return [row, h("tr", { class: "more", role: "row", id }, h("td", { role: "cell", colspan: this.columns.length }, this.details(i)))];
    }

    focus(i) {
      const row = this.body.querySelector(`[data-row="${i}"]`);
      const target = row && row.querySelector("button");
      if (target) target.focus();
      return row;
    }

    arrow(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !event.target.classList.contains("open")) return;
      const buttons = [...this.body.querySelectorAll(".open")];
      const next = buttons[buttons.indexOf(event.target) + step];
      if (next) { next.focus(); event.preventDefault(); }
    }

    search(text) {
      this.clear();
      this.input.value = text;
      this.restart();
      this.table.closest("section").scrollIntoView();
      this.input.focus({ preventScroll: true });
    }

    clear() {
      this.input.value = "";
      for (const select of this.selects) select.value = "";
      if (this.chips && this.chip !== null) {
        this.chip = null;
        for (const chip of document.querySelectorAll(`#${this.home} .chip`)) chip.setAttribute("aria-pressed", "false");
      }
    }

    show(i) {
      this.clear();
      this.opened.add(i);
      this.update();
      this.go(Math.floor(this.shown.indexOf(i) / this.size));
      const row = this.focus(i);
      if (row) row.scrollIntoView({ block: "center" });
    }
  }

  // --- what a row says -----------------------------------------------------------------------------------

  const users = rows.map(() => []);
  rows.forEach((row, i) => row[at.needs].forEach((need) => users[need].push(i)));

  const zoneMark = (i) => {
    const zone = get(i, "zone");
    return zone < 0 ? "" : h("span", { class: "zone" }, h("span", { class: `key z z${zone % 8}` }), data.zones[zone]);
  };
  const origin = (i) => (get(i, "place") === "." ? "" : get(i, "place")) || get(i, "id");
  const named = (i) => [h("span", {}, title(i)), h("span", { class: "at" }, origin(i))];
  const kind = (i) => words(naming(data.kinds, get(i, "kind")));
  const found = (i) => `${get(i, "id")} ${get(i, "title")} ${get(i, "place")} ${get(i, "detail")} ${reason(i)}`;
  const density = (i) => (get(i, "value") === null || !get(i, "tokens") ? null : (1000 * get(i, "value")) / get(i, "tokens"));
  const tables = {};

  const jump = (i) => h("button", { type: "button", class: "link", click: () => (get(i, "verdict") === 0 ? tables.accepted : tables.left).show(i) }, title(i));

  function part(head, content, wide) {
    return content === null ? null : h("div", { class: wide ? "wide" : null }, h("h4", {}, head), content);
  }

  function scores(i) {
    const found = get(i, "scores");
    if (!found) return null;
    return h("div", {}, ["relevance", "authority", "freshness", "risk"].map((name, k) => {
      const fill = h("i", { class: name === "risk" ? "risk" : null });
      fill.style.width = `${100 * found[k]}%`;
      return h("div", { class: "score" }, h("span", {}, name), h("span", { class: "rail", "aria-hidden": "true" }, fill), h("span", { class: "num" }, found[k].toFixed(3)));
    }));
  }

  function ladder(i) {
    const forms = get(i, "ladder");
    if (!forms.length) return null;
    const mine = get(i, "form");
    return h("table", { class: "ladder" },
      h("thead", {}, h("tr", {}, ["Form", "Tokens", "Value"].map((name, k) => h("th", { scope: "col", class: k ? "num" : null }, name)))),
      h("tbody", {}, forms.map(([form, tokens, value]) => h("tr", { class: form === mine ? "now" : null },
        h("th", { scope: "row" }, data.forms[form], form === mine ? " (in the pack)" : ""), h("td", { class: "num" }, whole.format(tokens)), h("td", { class: "num" }, worth(value))))));
  }

  const whither = (i) => h("span", { class: "sub" }, `${get(i, "verdict") === 0 ? "in" : "left out"} · ${origin(i)}`);

  function links(list) {
    if (!list.length) return null;
    const most = 8;
    const rest = list.slice(most);
    return h("ul", { class: "links" }, list.slice(0, most).map((i) => h("li", {}, jump(i), " ", whither(i))),
      rest.length ? h("li", {}, h("details", {}, h("summary", {}, `${whole.format(rest.length)} more`), others(rest))) : null);
  }
  const others = (list) => h("ul", { class: "links" }, list.map((i) => h("li", {}, jump(i), " ", whither(i))));

  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

  function details(i) {
    const out = get(i, "verdict") !== 0;
    const advice = out ? data.advice[get(i, "reason")] : "";
    const lost = get(i, "lost");
    const groups = get(i, "groups");
    const covers = get(i, "covers");
    return h("div", { class: "columns" },
      h("div", { class: "wide" }, out ? null : h("p", {}, `${get(i, "detail") || reason(i)}.`),
        advice ? h("p", { class: "sub" }, `What would change it: ${advice}.`) : null,
        lost > 0 && out ? h("p", { class: "sub" }, `With it in, the best pack would lose at least ${worth(lost)}.`) : null),
      part("Scores", scores(i)), part("Forms on offer", ladder(i)),
      part("Needs", links(get(i, "needs"))), part("Needed by", links(users[i])),
      part("Covers", covers.length ? h("p", {}, covers.map(([d, s]) => `${words(data.dimensions[d])} ${s.toFixed(2)}`).join(", ")) : null),
      part("Says the same as", groups.length ? h("div", {}, groups.map((g) => links(data.groups[g][4].filter((m) => m !== i)))) : null),
      h("div", { class: "wide" }, h("h4", {}, "Ask the solver"), h("p", { class: "command" }, h("code", {}, `satchel explain --why-${out ? "rejected" : "accepted"} ${quoted(get(i, "id"))}`)),
        get(i, "prompt") >= 0 && document.getElementById(`p-${get(i, "prompt")}`) ? h("p", {}, h("a", { href: `#p-${get(i, "prompt")}` }, "Show it in the prompt")) : null));
  }

  const numbers = rows.map((_, i) => i);
  const columns = {
    unit: { label: "Unit", sort: (i) => title(i).toLowerCase(), cell: named },
    kind: { label: "Kind", sort: kind, cell: kind, width: "6.2rem" },
    zone: { label: "Zone", sort: (i) => naming(data.zones, get(i, "zone")), cell: zoneMark, width: "10.4rem" },
    form: { label: "Form", sort: (i) => get(i, "form"), cell: (i) => naming(data.forms, get(i, "form")), width: "6.5rem" },
    tokens: { label: "Tokens", num: true, sort: (i) => get(i, "tokens"), cell: (i) => whole.format(get(i, "tokens")), width: "5rem" },
    value: { label: "Value", num: true, sort: (i) => get(i, "value"), cell: (i) => worth(get(i, "value")), width: "5.5rem" },
    density: { label: "Per 1,000", num: true, sort: density, cell: (i) => (density(i) === null ? "–" : density(i).toFixed(3)), width: "6rem" },
    why: { label: "Why", sort: reason, cell: reason, width: "8.5rem" },
    because: { label: "Why", whole: true, sort: reason, cell: (i) => [h("span", {}, reason(i)), h("br"), h("span", { class: "sub" }, get(i, "detail"))], width: "30%" },
  };
  const place = (list, number) => naming(list, number);
  const filters = [
    { label: "Zone", raw: true, value: (i) => place(data.zones, get(i, "zone")) },
    { label: "Kind", value: (i) => place(data.kinds, get(i, "kind")) },
  ];
  tables.accepted = new Table(document.getElementById("t-accepted"), {
    home: "t-accepted", name: "units in the pack", items: numbers.filter((i) => get(i, "verdict") === 0), find: found, details,
    columns: [columns.unit, columns.kind, columns.zone, columns.form, columns.tokens, columns.value, columns.density, columns.why], sort: [4, -1],
    filters: [...filters, { label: "Form", value: (i) => naming(data.forms, get(i, "form")) }, { label: "Why", value: (i) => data.reasons[get(i, "reason")] }],
  });
  const leftColumns = [columns.unit, columns.kind, columns.zone, columns.tokens, columns.value, columns.because];
  tables.left = new Table(document.getElementById("t-left"), {
    home: "t-left", name: "what was left out", items: numbers.filter((i) => get(i, "verdict") > 0), find: found, details,
    columns: data.hasProblem ? leftColumns : leftColumns.filter((c) => c !== columns.value), sort: data.hasProblem ? [4, -1] : [3, -1],
    chips: (i) => data.reasons[get(i, "reason")], filters,
  });

  const matrix = document.getElementById("t-coverage");
  if (matrix) {
    const strength = rows.map((row) => new Map(row[at.covers]));
    const covering = numbers.filter((i) => strength[i].size);
    const shade = (i, d) => {
      const value = strength[i].get(d);
      if (value === undefined) return h("span", { class: "dot sub", "aria-label": "no" }, "·");
      const node = h("span", { class: "dot" }, value.toFixed(2));
      node.style.background = `color-mix(in srgb, var(--accent) ${Math.round(12 + 38 * value)}%, transparent)`;
      return node;
    };
    tables.coverage = new Table(matrix, {
      home: "t-coverage", name: "units by what they cover", items: covering, find: found, size: 15,
      columns: [
        { label: "Unit", sort: (i) => title(i).toLowerCase(), cell: (i) => [jump(i), h("br"), h("span", { class: "sub" }, get(i, "place"))], width: data.dimensions.length < 5 ? null : "32%" },
        ...data.dimensions.map((name, d) => ({ label: words(name), num: true, sort: (i) => strength[i].get(d) ?? null, cell: (i) => shade(i, d) })),
      ],
      sort: [data.dimensions.length ? 1 : 0, -1],
      filters: [{ label: "Show", value: (i) => (get(i, "verdict") === 0 ? "in the pack" : "left out"), start: "in the pack" }],
    });
  }

  const needed = document.getElementById("t-needed");
  if (needed) {
    const inside = (list) => list.filter((i) => get(i, "verdict") === 0).length;
    const names = numbers.filter((i) => users[i].length && kind(i) !== "heading");
    if (!names.length) needed.append(h("p", { class: "none" }, "No unit needs another, but for the headings that name their files."));
    else tables.needed = new Table(needed, {
      home: "t-needed", name: "units that others need", items: names, find: found, size: 10, sort: [2, -1],
      columns: [
        { label: "Unit", sort: (i) => title(i).toLowerCase(), cell: (i) => [jump(i), " ", h("span", { class: "sub" }, kind(i))] },
        { label: "Is", sort: (i) => get(i, "verdict"), cell: (i) => (get(i, "verdict") === 0 ? "in" : reason(i)), width: "11rem" },
        { label: "Needed by, in", num: true, sort: (i) => inside(users[i]), cell: (i) => whole.format(inside(users[i])), width: "8rem" },
        { label: "Needed by, all", num: true, sort: (i) => users[i].length, cell: (i) => whole.format(users[i].length), width: "8rem" },
        { label: "Tokens", num: true, sort: (i) => get(i, "tokens"), cell: (i) => whole.format(get(i, "tokens")), width: "5rem" },
      ],
    });
    const groups = data.groups;
    const kept = (g) => groups[g][4].filter((i) => get(i, "verdict") === 0).length;
    const host = document.getElementById("t-groups");
    if (!groups.length) host.append(h("p", { class: "none" }, "No two candidates were found to say the same."));
    else tables.groups = new Table(host, {
      home: "t-groups", name: "groups", items: groups.map((_, g) => g), size: 10, sort: [2, -1],
      find: (g) => `${groups[g][0]} ${groups[g][4].map((i) => found(i)).join(" ")}`,
      columns: [
        { label: "Members", sort: (g) => groups[g][0], cell: (g) => links(groups[g][4]) || groups[g][0] },
        { label: "Rule", sort: (g) => groups[g][1], cell: (g) => words(groups[g][1]) + (groups[g][2] ? ` ${groups[g][2]}` : ""), width: "11rem" },
        { label: "In", num: true, sort: kept, cell: (g) => whole.format(kept(g)), width: "5rem" },
        { label: "Of", num: true, sort: (g) => groups[g][4].length, cell: (g) => whole.format(groups[g][4].length), width: "5rem" },
      ],
    });
  }

  // --- the rest of the page ------------------------------------------------------------------------------

  const numbered = [...document.querySelectorAll("#files tbody tr")].map((row) => row.querySelector("button[data-path]"));
  const open = (path) => tables.accepted.search(path);
  document.querySelectorAll("button[data-path]").forEach((button) => button.addEventListener("click", () => open(button.dataset.path)));
  const tip = document.getElementById("tip");
  document.querySelectorAll(".chart svg").forEach((svg) => {
    const tree = svg.closest(".tree");
    svg.querySelectorAll("[data-i] > title").forEach((words) => {
      const mark = words.parentNode;
      mark.dataset.tip = words.textContent;
      words.remove();
      if (!tree) return;
      const button = numbered[Number(mark.dataset.i)];
      if (button) mark.addEventListener("click", () => open(button.dataset.path));
    });
    svg.addEventListener("pointermove", (event) => {
      const text = event.target.dataset && event.target.dataset.tip;
      tip.hidden = !text;
      if (!text) return;
      tip.textContent = text;
      const box = tip.getBoundingClientRect();
      tip.style.left = `${Math.max(8, Math.min(event.clientX + 12, innerWidth - box.width - 8))}px`;
      tip.style.top = `${event.clientY + 16 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 16}px`;
    });
    svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  });

  const theme = document.getElementById("theme");
  const themes = ["system", "light", "dark"];
  const wear = (name) => {
    if (name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    theme.textContent = `Theme: ${name}`;
    theme.setAttribute("aria-label", `Theme: ${name}. Change it`);
  };
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme || "system") + 1) % 3];
    wear(next);
    try { localStorage.setItem("satchel-theme", next); } catch { /* a page from a file may have no storage */ }
  });
  try { const kept = localStorage.getItem("satchel-theme"); if (themes.includes(kept)) wear(kept); } catch { /* as above */ }

  const sections = new Map([...document.querySelectorAll("nav a")].map((a) => [a.getAttribute("href").slice(1), a]));
  const [top] = sections.keys();
  const mark = (id) => {
    for (const a of sections.values()) a.removeAttribute("aria-current");
    // The first section may be too short to reach the band that is watched.
    const here = sections.get(scrollY < 8 ? top : id);
    here.setAttribute("aria-current", "true");
    const list = here.closest("ul");
    list.scrollLeft = here.offsetLeft - list.offsetLeft - 40;
  };
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) mark(entry.target.id);
  }, { rootMargin: "-15% 0px -75% 0px" });
  addEventListener("scroll", () => { if (scrollY < 8) mark(top); }, { passive: true });
  mark(top);
  for (const id of sections.keys()) seen.observe(document.getElementById(id));
  document.documentElement.dataset.ready = "yes";
})();
