"use strict";
/* Hands: cards, a rolling restart, dialogs, mouse, finger and keys. */
function select(name, focus = true) {
  if (roll) {
    if (roll.played[name]?.frames.length) { roll.name = name; drawCards(); return step(Math.min(roll.at, frames().length - 1)); }
    endRoll();
  }
  view = name;
  draw(true);
  say(spoken(name));
  if (focus) $(`tab-${name}`)?.focus({ preventScroll: true });
  save();
}
function spoken(name) { // a card, read aloud
  const card = answer?.cards[name];
  if (!card) return `${label(name)}: ${name === "now" ? "nobody owns anything yet" : "not found in 5 seconds"}`;
  const trouble = card.fails ?? card.missing ?? (name !== "now" && (card.wrong?.[0] ?? (card.rests === false ? card.trouble : "")));
  if (trouble) return `${label(name)}: ${card.missing ? "" : "wrong, "}${named(trouble)}`;
  const free = partitions().filter((each) => !owners().has(key(each))).length;
  const told = [`the fullest holds ${card.most}, the emptiest ${card.least}`, name === "now" ? free && `${free} without an owner` : many(card.moves, "move")];
  told.push(answer.racks && `${card.cross_rack} read from another rack`, name !== "now" && card.misses?.length && `worse than it could be: ${list(card.misses)}`, card.again && `${many(card.again, "more move")} next time`);
  return `${label(name)}: ${told.filter(Boolean).join("; ")}`;
}
async function apply() {
  const name = view, given = answer.cards[view].given;
  const next = await ask("take_effect", { group, given });
  change(() => { use(next); notes = []; }, `${label(name)} took effect`);
}
function give(k, to) {
  const [topic, number] = unkey(k), who = memberOf(to);
  if (who && !reads(who, topic)) { say(`${short(to)} does not read ${topic}`); return false; }
  change(() => {
    for (const member of group.members) member.owned = member.owned.filter((each) => each[0] !== topic || each[1] !== number);
    if (who) who.owned.push([topic, number]);
    const newest = Math.max(1, ...group.members.map((member) => member.generation ?? 0));
    for (const member of group.members) if (member.owned.length) member.generation = newest;
  }, `${topic}-${number} is now owned by ${who ? short(to) : "nobody"}`);
  return true;
}
function join() {
  const first = group.members[0]?.id ?? "m0", stem = first.replace(/-?[0-9a-f]{8}-[0-9a-f-]{20,}$|~?\d+$/, "") || "m";
  const glue = stem.endsWith("-") || stem.length < 3 ? "" : "-";
  let number = 0;
  while (group.members.some((member) => member.id === `${stem}${glue}${number}`)) number++;
  const id = `${stem}${glue}${number}`, topics = group.members.length ? [...new Set(group.members.flatMap((member) => member.topics))] : group.topics.map((topic) => topic.name);
  change(() => group.members.push({ id, topics, owned: [], ...(group.members.some((member) => member.rack) ? { rack: "abc"[group.members.length % 3] } : {}) }), `${id} joins`);
}
function newTopic() {
  let number = 0;
  while (topicOf(`t${number}`)) number++;
  const racks = group.topics.some((topic) => topic.racks) ? { racks: [["a"], ["b"], ["c"]] } : {};
  change(() => {
    group.topics.push({ name: `t${number}`, partitions: 3, ...racks });
    for (const member of group.members) member.topics.push(`t${number}`);
  }, `topic t${number} with 3 partitions`);
}
function racks() {
  const on = group.members.some((member) => member.rack);
  change(() => {
    group.members.forEach((member, place) => { if (on) delete member.rack; else member.rack = "abc"[place % 3]; });
    for (const topic of group.topics) if (on) delete topic.racks; else topic.racks = Array.from({ length: topic.partitions }, (_, place) => ["abc"[place % 3]]);
  }, on ? "racks are not known" : "racks a, b and c");
}
const leave = (id) => change(() => { group.members = group.members.filter((member) => member.id !== id); }, `${short(id)} leaves`);

/* ---- a rolling restart: members stop and come back, one after the other ---- */
const frames = () => roll.played[roll.name].frames;
async function startRoll(at = 0) {
  const shown = view, same = $("same").checked, inside = $("tools").contains(document.activeElement);
  status("playing …");
  $("roll").disabled = true;
  try {
    const found = await ask("roll", { group, kafka, same_ids: same });
    const able = (name) => found.played[name]?.frames.length;
    const name = [shown, "cooperative-sticky", "sticky", "best"].find(able);
    if (!name) throw Error("no strategy answers this group");
    roll = { ...found, name, at: 0, same };
    $("rollbox").hidden = false;
    $("tools").hidden = true;
    if (inside) $("rplay").focus({ preventScroll: true }); // the button that was pressed is gone
    draw(false);
    chart();
    step(at, false);
  } catch (wrong) {
    say(wrong.message);
    return status(wrong.message);
  } finally {
    $("roll").disabled = false;
  }
  status("");
}
function slots(at) { // who sits in each member's place after so many events, "" where it has stopped
  return group.members.map((member, place) => at >= 2 * place + 2 ? roll.back[member.id] : at === 2 * place + 1 ? "" : member.id);
}
function rollRows() {
  const at = roll.at, given = frames()[at].given, ids = slots(at), ids0 = slots(Math.max(0, at - 1)), earlier = at ? frames()[at - 1].given : held();
  const before = at ? new Map() : owners();
  if (at) for (const [id, of] of Object.entries(earlier)) for (const each of of) before.set(key(each), [...(before.get(key(each)) ?? []), id]);
  const rows = group.members.map((member, place) => ({
    member: { ...member, id: ids[place] || member.id }, gone: !ids[place], was: ids0[place], mine: given[ids[place]] ?? [], had: earlier[ids0[place]] ?? [],
  }));
  return { given, before, rows };
}
function step(to, animate = true) {
  roll.at = Math.max(0, Math.min(frames().length - 1, to));
  $("rat").max = frames().length - 1;
  $("rat").value = roll.at;
  const moved = frames()[roll.at].moves, trouble = roll.at === frames().length - 1 ? roll.played[roll.name].trouble : "";
  const gone = rollRows().rows.find((row) => row.gone), left = gone ? `its ${gone.had.length} go to the others${moved ? `; ${moved.toLocaleString("en")} more move` : ""}` : "";
  const told = `${label(roll.name)}: ${named(roll.happens[roll.at])} · ${left || `${many(moved, "partition")} move${moved === 1 ? "s" : ""}`}${trouble ? `; ${trouble}` : ""}`;
  $("rwhat").textContent = told;
  $("rat").setAttribute("aria-valuetext", `${roll.at} of ${frames().length - 1}: ${told}`);
  say(told);
  $("rback").setAttribute("aria-disabled", !roll.at); // not disabled, which would take the focus away
  $("rfwd").setAttribute("aria-disabled", roll.at === frames().length - 1);
  const line = $("rcur");
  if (line) for (const end of ["x1", "x2"]) line.setAttribute(end, 8 + roll.at * line.dataset.dx);
  drawRows(animate);
  save();
}
function chart() {
  const [wide, high, left, right, floor] = [1100, 190, 8, 620, 168], names = VIEWS.filter((name) => roll.played[name]?.frames.length);
  const sums = Object.fromEntries(names.map((name) => [name, roll.played[name].moves])), top = Math.max(1, ...Object.values(sums));
  const dx = (right - left) / Math.max(1, roll.happens.length - 1), y = (count) => floor - count / top * (floor - 14), least = sums.best ?? Math.min(...Object.values(sums));
  const path = (name) => { let sum = 0; return roll.played[name].frames.map((frame, place) => `${(left + place * dx).toFixed(1)} ${y(sum += frame.moves).toFixed(1)}`).join("L"); };
  const ends = new Map();
  for (const name of names) ends.set(sums[name], [...(ends.get(sums[name]) ?? []), name]);
  let last = 1e9;
  const labels = [...ends].sort((a, b) => a[0] - b[0]).map(([count, of]) => {
    last = Math.min(y(count) + 4, last - 17);
    const times = least && count > least ? ` ${(count / least).toFixed(count < 10 * least ? 1 : 0).replace(".0", "")} times the fewest` : "";
    const broke = of.filter((name) => roll.played[name].trouble), stopped = broke.length ? " until it fails" : "";
    return `<text x="${right + 12}" y="${last}"><tspan font-weight="700">${count.toLocaleString("en")}</tspan> ${esc(list(of.map(label)))}<tspan class="mu">${times}${stopped}</tspan></text>`;
  });
  const kind = (name) => name === "best" ? "b" : sums[name] > least * 1.5 ? "o" : "";
  const phone = innerWidth <= 560;
  $("rchart").innerHTML = `<svg viewBox="0 0 ${wide} ${high}" role="img" aria-label="partitions moved so far: ${names.map((name) => `${label(name)} ${sums[name]}`).join(", ")}"${phone ? " hidden" : ""}>
    <line id="rcur" x1="${left}" x2="${left}" data-dx="${dx}" y1="6" y2="${floor}" stroke="var(--ink)" stroke-dasharray="3 3"/>
    ${names.map((name) => `<path class="${kind(name)}" d="M${path(name)}"/>`).join("")}${labels.join("")}<text class="mu" x="${left}" y="${high - 4}">partitions moved so far, as each member stops and comes back</text></svg>
    ${phone ? `<ul class="sums">${[...ends].sort((a, b) => a[0] - b[0]).map(([count, of]) => `<li><b>${count.toLocaleString("en")}</b> ${esc(list(of.map(label)))}</li>`).join("")}</ul>` : ""}`;
}
let playing = 0;
const playable = (sign, word) => { $("rplay").innerHTML = `<span aria-hidden="true">${sign}</span> ${word}`; };
function play() {
  clearInterval(playing);
  if (playing) { playing = 0; playable("▶", "play"); return; }
  if (roll.at === frames().length - 1) step(0);
  playable("❚❚", "pause");
  playing = setInterval(() => { if (!roll || roll.at >= frames().length - 1) play(); else step(roll.at + 1); }, 1100);
}
function endRoll() {
  const inside = $("rollbox").contains(document.activeElement);
  if (playing) play();
  roll = null;
  $("rollbox").hidden = true;
  $("tools").hidden = false;
  if (inside) $("roll").focus({ preventScroll: true });
}

/* ---- dialogs: what can be changed of a member, a topic, a partition's owner; what is pasted ---- */
function dialog(id, fill, done, back) { // `back` says what is focused after a change, as what opened it is drawn anew
  const box = $(id), form = box.querySelector("form"), alert = box.querySelector("[role=alert]");
  if (alert) alert.textContent = "";
  form.onsubmit = async (event) => {
    const chosen = event.submitter?.value ?? "ok";
    if (chosen === "no") return;
    event.preventDefault();
    const wrong = await done(chosen, form.elements);
    if (wrong) { alert.textContent = wrong; return; }
    box.close();
    (back?.() ?? $("join")).focus({ preventScroll: true });
  };
  fill(form.elements);
  box.showModal();
}
function editMember(id) {
  const member = memberOf(id);
  let called = id;
  dialog("member", (field) => {
    field.id.value = id;
    field.rack.value = member.rack ?? "";
    field.instance.value = member.instance_id ?? "";
    $("member-topics").innerHTML = group.topics.map((topic) => `<label><input type="checkbox" value="${esc(topic.name)}"${reads(member, topic.name) ? " checked" : ""}> ${esc(topic.name)}</label>`).join("");
  }, (chosen, field) => {
    if (chosen === "leave") { leave(id); return ""; }
    const name = field.id.value.trim();
    if (!name) return "A member needs a name.";
    if (name !== id && memberOf(name)) return `There is another member ${name}: give each its own name.`;
    const topics = [...$("member-topics").querySelectorAll(":checked")].map((each) => each.value);
    change(() => {
      const one = memberOf(id), unknown = one.topics.filter((each) => !topicOf(each));
      Object.assign(one, { id: name, topics: [...topics, ...unknown], rack: field.rack.value.trim() || undefined, instance_id: field.instance.value.trim() || undefined });
    }, `${name} changed`);
    called = name;
    return "";
  }, () => document.querySelector(`[data-member="${CSS.escape(called)}"]`));
}
function editTopic(name) {
  const topic = topicOf(name);
  let called = name;
  dialog("topic", (field) => {
    field.name.value = name;
    field.partitions.value = topic.partitions;
    field.racks.value = (topic.racks ?? []).map((each) => (each ?? []).map((rack) => rack ?? "?").join(" ")).join(", ");
  }, (chosen, field) => {
    const renamed = field.name.value.trim(), count = +field.partitions.value, text = field.racks.value.trim();
    if (chosen === "ok" && !renamed) return "A topic needs a name.";
    if (chosen === "ok" && renamed !== name && topicOf(renamed)) return `There is another topic ${renamed}: give each its own name.`;
    if (chosen === "ok" && !(Number.isInteger(count) && count >= 0 && count <= 500)) return "partitions: give a whole number from 0 to 500.";
    const given = text ? text.split(",").map((each) => each.trim().split(/\s+/).filter(Boolean).map((rack) => rack === "?" ? null : rack)) : null;
    change(() => {
      const swap = (each) => each === name ? renamed : each;
      if (chosen === "remove") {
        group.topics = group.topics.filter((each) => each !== topicOf(name));
        for (const member of group.members) { member.topics = member.topics.filter((each) => each !== name); member.owned = member.owned.filter((each) => each[0] !== name); }
        return;
      }
      const one = topicOf(name);
      Object.assign(one, { name: renamed, partitions: count });
      if (given) one.racks = Array.from({ length: count }, (_, place) => given[place] ?? given[place % given.length]); else delete one.racks;
      delete one.hosts;
      for (const member of group.members) { member.topics = member.topics.map(swap); member.owned = member.owned.map(([each, number]) => [swap(each), number]); }
    }, chosen === "remove" ? `${name} removed` : `${renamed} changed`);
    called = renamed;
    return "";
  }, () => document.querySelector(`[data-topic="${CSS.escape(called)}"]`));
}
function chooseOwner(k) {
  const [topic, number] = unkey(k), own = owners().get(k) ?? [];
  $("owner-title").textContent = `${topic}-${number}`;
  dialog("owner", () => {
    const choices = [...group.members.filter((member) => reads(member, topic)).map((member) => [member.id, short(member.id)]), ["", "nobody"]];
    $("owner-members").innerHTML = choices.map(([id, name]) => `<label><input type="radio" name="to" value="${esc(id)}"${own.includes(id) || (!own.length && !id) ? " checked" : ""}> ${esc(name)}</label>`).join("");
  }, (_, field) => { give(k, field.to.value); return ""; }, () => tileOf(k));
}
function paste() {
  dialog("pasting", () => { $("text").value = JSON.stringify(group, null, 1).replace(/\[\s+("(?:[^"\\]|\\.)*"),\s+(\d+)\s+\]/g, "[$1, $2]"); $("text").select(); }, async () => {
    let found;
    try { found = await ask("read", { text: $("text").value }); } catch (wrong) { return wrong.message; }
    if (found.error) return [found.error, ...found.copy].join("\n");
    change(() => { use(found.group); notes = found.notes; kafka = ""; }, "the pasted group");
    return "";
  });
}

/* ---- mouse and finger ---- */
let drag = null, dragged = false;
$("rows").addEventListener("pointerdown", (event) => {
  const found = event.target.closest(".tile");
  dragged = false;
  if (found && !roll && view === "now" && !event.button) drag = { tile: found, x: event.clientX, y: event.clientY, ghost: null };
});
addEventListener("pointermove", (event) => {
  if (!drag) return;
  if (!drag.ghost) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 5) return;
    dragged = true;
    drag.ghost = drag.tile.cloneNode(true);
    drag.ghost.classList.add("drag");
    drag.ghost.style.cssText += $("rows").style.cssText;
    document.body.append(drag.ghost);
    drag.tile.classList.add("lift");
    for (const row of $("rows").children) {
      row.hidden = false;
      const member = memberOf(row.dataset.m);
      row.classList.toggle("no", !!member && !reads(member, unkey(drag.tile.dataset.k)[0]));
    }
  }
  drag.ghost.style.left = `${event.clientX - drag.tile.offsetWidth / 2}px`;
  drag.ghost.style.top = `${event.clientY - drag.tile.offsetHeight / 2}px`;
  const over = document.elementFromPoint(event.clientX, event.clientY)?.closest("#rows>li");
  for (const row of $("rows").children) row.classList.toggle("over", row === over && !row.classList.contains("no"));
});
addEventListener("pointerup", (event) => {
  const done = drag;
  drag = null;
  if (!done?.ghost) return;
  done.ghost.remove();
  const over = document.elementFromPoint(event.clientX, event.clientY)?.closest("#rows>li");
  if (!over || over.dataset.m === done.tile.dataset.m || !give(done.tile.dataset.k, over.dataset.m)) drawRows(false);
});
addEventListener("pointercancel", () => { drag?.ghost?.remove(); drag = null; drawRows(false); });
$("rows").addEventListener("click", (event) => {
  const found = event.target.closest(".tile, .name");
  if (!found || dragged || roll || view !== "now") return;
  if (found.classList.contains("name")) editMember(found.dataset.member); else chooseOwner(found.dataset.k);
});
$("legend").addEventListener("click", (event) => { const found = event.target.closest("button.t"); if (found) editTopic(found.dataset.topic); });
$("cards").addEventListener("click", (event) => { const found = event.target.closest(".card"); if (found) select(found.dataset.view); });
$("presets").addEventListener("click", (event) => { const found = kassayPresets.find((each) => each.id === event.target.dataset.preset); if (found) { past.length = 0; show(found); } });
const on = { join, newtopic: newTopic, racks, undo, paste, apply, roll: () => startRoll(), rplay: play, rback: () => step(roll.at - 1), rfwd: () => step(roll.at + 1), rend: () => { endRoll(); draw(true); save(); } };
for (const [id, act] of Object.entries(on)) $(id).onclick = act;
$("rat").oninput = () => step(+$("rat").value);
$("same").onchange = () => { const at = roll.at; startRoll(at); };
$("kafka").innerHTML = RELEASES.map(([value, name]) => `<option value="${value}">${name}</option>`).join("");
$("kafka").onchange = () => { const chosen = $("kafka").value; change(() => { kafka = chosen; }); };
async function copyText(button, text) {
  const before = button.textContent;
  try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { button.textContent = "copy it from the address"; }
  setTimeout(() => { button.textContent = before; }, 1500);
}
$("link").onclick = () => copyText($("link"), location.href);
$("copylines").onclick = () => copyText($("copylines"), $("lines").textContent);

/* ---- keys ---- */
function walk(tile_, pressed) {
  const all = [...$("rows").querySelectorAll(".tile")];
  let next = all[all.indexOf(tile_) + (pressed === "ArrowLeft" ? -1 : 1)];
  if (pressed === "ArrowUp" || pressed === "ArrowDown") {
    const box = tile_.getBoundingClientRect(), way = pressed === "ArrowUp" ? -1 : 1;
    const beyond = all.filter((each) => (each.getBoundingClientRect().top - box.top) * way > 4);
    const apart = (each) => { const its = each.getBoundingClientRect(); return Math.abs(its.top - box.top) * 1e4 + Math.abs(its.left - box.left); };
    next = beyond.sort((a, b) => apart(a) - apart(b))[0];
  }
  if (next) { tile_.tabIndex = -1; next.tabIndex = 0; next.focus(); }
}
addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || event.altKey) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "z") { event.preventDefault(); return undo(); }
  if (event.ctrlKey || event.metaKey || /^(TEXTAREA|SELECT|INPUT)$/.test(event.target.tagName)) return;
  const found = event.target.closest(".tile"), arrow = event.key.startsWith("Arrow");
  if (found && arrow) { event.preventDefault(); return walk(found, event.key); }
  if (found && (event.key === "Delete" || event.key === "Backspace") && view === "now" && !roll) { give(found.dataset.k, ""); return focusTile(found.dataset.k); }
  if (event.target.closest('[role="tab"]') && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
    const shown = VIEWS.indexOf(roll ? roll.name : view);
    return select(VIEWS[(shown + (event.key === "ArrowRight" ? 1 : VIEWS.length - 1)) % VIEWS.length]);
  }
  if (roll) {
    if (event.key === "ArrowRight") step(roll.at + 1);
    else if (event.key === "ArrowLeft") step(roll.at - 1);
    else if (event.key === "Escape") { endRoll(); draw(true); save(); }
    return;
  }
  if (/^[1-6]$/.test(event.key)) return select(VIEWS[event.key - 1]);
  if (event.key === "e" && !$("apply").hidden) return apply();
  const act = { m: join, t: newTopic, r: racks, z: undo, p: paste }[event.key];
  if (act) { event.preventDefault(); act(); }
});

$("presets").innerHTML = kassayPresets.map((each) => `<button data-preset="${each.id}">${esc(each.name)}</button>`).join("");
playable("▶", "play");
let wide = innerWidth;
addEventListener("resize", () => { if (innerWidth !== wide && group) { wide = innerWidth; drawRows(false); if (roll) chart(); } });
addEventListener("hashchange", open);
open().then(() => {
  document.documentElement.dataset.first = Math.round(performance.now());
  (window.requestIdleCallback ?? setTimeout)(startEngine);
});
