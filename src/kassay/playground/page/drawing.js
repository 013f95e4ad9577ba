"use strict";
/* Drawing: the sentences, six cards, and the group with one answer. A ring arrives, a dashed frame leaves, a dot is read afar, hatching is wrong. */
const HUES = [250, 150, 55, 320, 195, 100, 15, 285, 125, 225, 75, 350];
const esc = (text) => String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
const hue = (name) => HUES[Math.max(0, group.topics.findIndex((topic) => topic.name === name)) % HUES.length];
const has = (given, partition) => given.some((each) => each[0] === partition[0] && each[1] === partition[1]);

function draw(animate) {
  if (answer) drawSentences();
  $("size").textContent = `${many(group.members.length, "member")}, ${many(group.topics.length, "topic")}, ${many(partitions().length, "partition")}`;
  $("notes").innerHTML = [...notes, ...(answer?.notes ?? [])].map((note) => `<li>${esc(named(note))}</li>`).join("");
  $("undo").disabled = !past.length;
  $("kafka").value = kafka;
  if ($("kafka").value !== kafka) { $("kafka").add(new Option(kafka, kafka)); $("kafka").value = kafka; }
  $("racks").querySelector("span").textContent = group.members.some((member) => member.rack) ? "no racks" : "racks a, b, c";
  const card = answer?.cards[view];
  $("apply").hidden = !!roll || view === "now" || !card?.given || !!card.wrong?.length;
  $("apply").textContent = `let ${view === "best" ? "the best" : view} take effect`;
  $("roll").hidden = group.members.length < 2;
  for (const button of $("presets").children) {
    const current = preset?.id === button.dataset.preset;
    button.setAttribute("aria-current", String(current));
    if (current) $("presets").scrollLeft = button.offsetLeft - $("presets").offsetLeft - 14; // on a phone they are one line
  }
  drawRows(animate);
}
function sentence(text) { return text ? text[0].toUpperCase() + text.slice(1) : ""; }
function drawSentences() {
  const [is, even] = answer.headline;
  const would = even || (answer.reasons[0] ? `${answer.reasons[0]}.` : "");
  $("says").innerHTML = `<span>${esc(sentence(named(is)))}</span> <em>${esc(sentence(would))}</em>`;
  document.title = `${sentence(named(is))} – kassay playground`;
  const strong = (text) => esc(named(text)).replace(/(?<![\w-])(range|roundrobin|cooperative-sticky|sticky)(?![\w-])/g, "<b>$1</b>");
  $("lead").innerHTML = `${preset?.about ? `${esc(preset.about)} ` : ""}${strong(answer.reach)} <span class="bad">${answer.troubles.map(strong).join(" ")}</span>`;
  $("why").hidden = !answer.reasons.length;
  $("why").innerHTML = `<b>Nothing is better:</b> ${answer.reasons.map((reason) => esc(named(reason))).join("; ")}.`;
  $("set").hidden = !answer.advice;
  $("advice").innerHTML = strong(answer.advice);
  $("lines").textContent = answer.lines.join("\n");
  $("lines").hidden = $("copylines").hidden = !answer.lines.length;
  $("price").innerHTML = strong(answer.price);
  drawCards();
}

const verdicts = () => named([sentence(answer.headline.join("")), answer.reach, ...answer.troubles].filter(Boolean).join(" ")); // as they are read aloud

/* ---- cards ---- */
function bars(name, top) {
  const given = answer.cards[name].given, own = owners(), members = group.members;
  const wide = Math.min(16, 120 / members.length), high = 30 / top, mean = partitions().length / members.length * high;
  const drawn = members.map((member, place) => {
    const mine = given[member.id] ?? [], kept = name === "now" ? mine.length : mine.filter((each) => own.get(key(each))?.includes(member.id)).length;
    const at = place * wide, width = Math.max(1.5, wide - 2);
    const bar = (kind, from, count) => count ? `<rect class="${kind}" x="${at}" y="${30 - (from + count) * high}" width="${width}" height="${count * high}"/>` : "";
    return bar("mk", 0, kept) + bar("mi", kept, mine.length - kept);
  });
  return `<svg viewBox="0 0 120 30" preserveAspectRatio="xMinYMax meet" aria-hidden="true">${drawn.join("")}<path class="ml" d="M0 ${30 - mean}H${wide * members.length - 2}"/></svg>`;
}
function cardBody(name, top) {
  const card = answer.cards[name], best = answer.cards.best;
  if (!card) return `<span class="x mu">${name === "now" ? "nobody owns anything yet" : "not found in 5 seconds"}</span>`;
  if (card.missing) return `<span class="x mu">${esc(card.missing)}</span>`;
  if (card.fails) return `<span class="x">✗ ${esc(card.fails)}</span>`;
  if (name !== "now" && (card.wrong?.length || card.rests === false)) return `${bars(name, top)}<span class="x">✗ ${esc(named(card.wrong[0] ?? card.trouble))}</span>`;
  const worse = (more) => name !== "best" && best && more ? " bad" : "";
  const uneven = worse(best && card.most - card.least > best.most - best.least);
  const free = name === "now" ? partitions().filter((each) => !owners().has(key(each))).length : 0;
  const number = (count, words, bad) => `<span class="n"><b class="${bad}">${count.toLocaleString("en")}</b> ${words}</span>`;
  const moved = worse(best && card.moves > best.moves);
  return bars(name, top) + `<span class="big${uneven}">${card.most} · ${card.least}</span><span class="n">fullest · emptiest</span>` +
    (name === "now" ? number(free, "without an owner", free ? "bad" : "") : number(card.moves, `move${card.moves === 1 ? "s" : ""}${moved ? `, ${best.moves} would do` : ""}`, moved)) +
    (answer.racks ? number(card.cross_rack, "read from afar", worse(best && card.cross_rack > best.cross_rack)) : "") +
    (name !== "now" && card.misses?.length && best && !moved && !uneven && card.cross_rack <= best.cross_rack ? `<span class="x mu">${esc(card.misses.at(-1))}</span>` : "") +
    (card.again ? `<span class="x">${card.again} more next time</span>` : "");
}
function drawCards() {
  const loads = Object.values(answer.cards).flatMap((card) => Object.values(card.given ?? {}).map((each) => each.length));
  const shown = roll ? roll.name : view, focused = document.activeElement?.id;
  $("cards").innerHTML = VIEWS.map((name) => `<button class="card ${name === "best" ? "best" : ""}" role="tab" id="tab-${name}" data-view="${name}" aria-controls="stage" aria-label="${esc(spoken(name))}"
    aria-selected="${name === shown}" tabindex="${name === shown ? 0 : -1}"><span class="nm">${label(name)}</span>${cardBody(name, Math.max(1, ...loads))}</button>`).join("");
  $("stage").setAttribute("aria-label", label(shown));
  if (focused?.startsWith("tab-")) $(focused)?.focus({ preventScroll: true });
}

/* ---- the group ---- */
function drawLegend(readOnly) {
  const topics = group.topics.map((topic) => {
    const inner = `<i class="s"></i>${esc(topic.name)} <b>${topic.partitions}</b>`;
    return readOnly ? `<span class="t" style="--h:${hue(topic.name)}">${inner}</span>` : `<button class="t" style="--h:${hue(topic.name)}" data-topic="${esc(topic.name)}" title="change ${esc(topic.name)}" aria-label="${esc(topic.name)}: ${many(topic.partitions, "partition")}">${inner}</button>`;
  });
  const marks = readOnly ? [["ki", "stays"], ["in", "arrives"], ["gh", "leaves"]] : [];
  if (answer?.racks) marks.push(["far", "read from another rack"]);
  $("legend").innerHTML = `${topics.join("")}<span class="sp"></span>${readOnly ? "" : `<span class="k">drag or choose a partition to give it to somebody</span>`}${marks.map(([kind, word]) => `<span class="k"><i class="${kind}"></i>${word}</span>`).join("")}`;
}
function tile(partition, who, kind, before) {
  const name = `${partition[0]}-${partition[1]}`, owner = who ? short(who.id) : "nobody", dot = who && kind !== "gh" && far(partition, who);
  const from = before.get(key(partition)) ?? ["nobody"];
  const says = kind === "gh" ? `${name} leaves ${owner}` : kind === "in" ? `${name} arrives at ${owner}, from ${list(from.map(short))}` : kind === "wrong" ? `${name} is wrong with ${owner}` : `${name}, ${who ? owner : "nobody owns it"}`;
  const racks = topicOf(partition[0])?.racks?.[partition[1]];
  const more = `${racks ? `; replicas in rack ${racks.map((rack) => rack ?? "?").join(", ")}` : ""}${dot ? ": read from another rack" : ""}`;
  return `<button class="tile ${kind}${dot ? " far" : ""}" tabindex="-1" style="--h:${hue(partition[0])}" data-k="${esc(key(partition))}" data-m="${who ? esc(who.id) : ""}" title="${esc(says + more)}" aria-label="${esc(says + more)}">${partition[1]}</button>`;
}
function runs(entries, who, before) {
  const order = new Map(group.topics.map((topic, place) => [topic.name, place])), by = new Map();
  for (const entry of entries) by.set(entry[0][0], [...(by.get(entry[0][0]) ?? []), entry]);
  return [...by].sort((a, b) => (order.get(a[0]) ?? 99) - (order.get(b[0]) ?? 99)).map(([, of]) =>
    `<span class="run">${of.sort((a, b) => a[0][1] - b[0][1]).map(([partition, kind]) => tile(partition, who, kind, before)).join("")}</span>`).join("");
}
function shownNow() { // rows with what each member has and had, and who owned what before
  if (roll) return rollRows();
  const given = view === "now" ? held() : answer?.cards[view]?.given;
  return { given, before: owners(), rows: group.members.map((member) => ({ member, had: member.owned, mine: given?.[member.id] ?? [] })) };
}
function sizes(rows) {
  const box = $("rows"), phone = innerWidth <= 560, most = Math.max(1, ...rows.map((row) => Math.max(row.mine.length, row.had.length)));
  const wide = Math.max(200, box.clientWidth - (phone ? 10 : 352)), per = phone ? Math.min(most, 12) : most, groups = Math.min(group.topics.length, per);
  const size = Math.max(phone ? 24 : 13, Math.min(34, Math.floor((wide - groups * 8) / per - 3))), dense = size < 24;
  box.className = `rows${size < 19 ? " dense" : ""}`;
  box.style.cssText = `--tw:${size}px;--th:${dense ? 24 : Math.min(34, size + 2)}px;--tg:${dense ? 2 : 3}px;--rg:${dense ? 5 : 8}px;--tf:${dense ? 11 : 14}px;--tr:${dense ? 4 : 6}px`;
}
function drawRows(animate) {
  const box = $("rows"), places = new Map(), readOnly = !!roll || view !== "now", focused = document.activeElement?.closest?.("#rows .tile")?.dataset.k;
  if (animate) for (const each of box.querySelectorAll(".tile:not(.gh)")) places.set(each.dataset.k, each.getBoundingClientRect());
  const { given, before, rows } = shownNow(), seen = new Map(), active = document.activeElement?.dataset, kind = ["member", "topic"].find((each) => active?.[each]);
  box.parentElement.classList.toggle("ro", readOnly);
  drawLegend(readOnly);
  sizes(rows);
  if (!given) {
    const why = answer?.cards[view];
    box.innerHTML = answer ? `<li class="none bad"><b>✗ ${esc(why?.missing ?? why?.fails ?? "not found in 5 seconds")}</b> The group gets no assignment, and nobody reads.</li>` : "";
    return;
  }
  for (const row of rows) for (const each of row.mine) seen.set(key(each), (seen.get(key(each)) ?? 0) + 1);
  const racked = group.members.some((member) => member.rack);
  const html = rows.map(({ member, had, mine, gone, was }) => {
    const entries = mine.map((each) => [each, !exists(each) || seen.get(key(each)) > 1 || !reads(member, each[0]) ? "wrong" : readOnly && !(before.get(key(each)) ?? []).includes(was ?? member.id) ? "in" : ""]);
    if (readOnly) for (const each of had) if (!has(mine, each)) entries.push([each, "gh"]);
    const more = readOnly ? mine.length - had.length : 0, name = esc(short(member.id));
    const all = group.topics.every((topic) => reads(member, topic.name));
    const told = [member.instance_id ? `static ${esc(member.instance_id)}` : "", member.rack ? `rack ${esc(member.rack)}` : racked ? "no rack" : "", all ? (group.topics.length > 1 ? `reads all ${group.topics.length}` : "") : `reads ${member.topics.length ? esc(list(member.topics)) : "nothing"}`].filter(Boolean).join(" · ");
    const count = gone ? "stopped" : `holds ${many(mine.length, "partition")}${more ? `, ${Math.abs(more)} ${more > 0 ? "more" : "fewer"} than before` : ""}`;
    const title = readOnly ? `<b title="${esc(member.id)}">${name}</b>` : `<button class="name" data-member="${esc(member.id)}" title="change ${esc(member.id)}">${name}</button>`;
    return `<li data-m="${esc(member.id)}" class="${gone ? "gone" : ""}"><div class="who">${title}<span class="vh">${count}</span><span class="r" title="${told}">${told}</span></div><div class="tiles">${runs(entries, member, before)}</div>
      <span class="ld" aria-hidden="true">${more ? `<small>${had.length} → </small>` : ""}${mine.length}</span><span class="ch ${more > 0 ? "i" : "o"}" aria-hidden="true">${more ? (more > 0 ? "+" : "−") + Math.abs(more) : ""}</span></li>`;
  });
  const free = partitions().filter((each) => !seen.has(key(each)));
  if (free.length || !readOnly) html.push(`<li class="nobody" data-m="" ${free.length ? "" : "hidden"}><div class="who"><b>nobody</b><span class="vh">${many(free.length, "partition")}</span><span class="r">without an owner</span></div><div class="tiles">${runs(free.map((each) => [each, ""]), null, before)}</div><span class="ld" aria-hidden="true">${free.length || ""}</span><span></span></li>`);
  box.innerHTML = html.join("");
  const first = box.querySelector(".tile");
  if (first) first.tabIndex = 0;
  if (focused) focusTile(focused);
  if (kind) document.querySelector(`button[data-${kind}="${CSS.escape(active[kind])}"]`)?.focus({ preventScroll: true });
  if (animate && !matchMedia("(prefers-reduced-motion:reduce)").matches) glide(box, places);
}
function glide(box, places) {
  for (const each of box.querySelectorAll(".tile:not(.gh)")) {
    const was = places.get(each.dataset.k);
    if (!was) continue;
    const is = each.getBoundingClientRect(), x = was.left - is.left, y = was.top - is.top;
    if (x || y) each.animate([{ transform: `translate(${x}px,${y}px)`, zIndex: 2 }, { transform: "none" }], { duration: 420, easing: "cubic-bezier(.2,.7,.2,1)" });
  }
}
const tileOf = (k) => [...$("rows").querySelectorAll(".tile:not(.gh)")].find((each) => each.dataset.k === k);
function focusTile(k) {
  const found = tileOf(k);
  if (found) { found.tabIndex = 0; found.focus(); }
}
