"use strict";
/* The state: one group, the answers to it, which of them is shown, and a link that holds all of it. */
const $ = (id) => document.getElementById(id);
const VIEWS = ["now", "range", "roundrobin", "sticky", "cooperative-sticky", "best"];
const SINCE = "3.7.1", RELEASES = [["", `4.4.0 (since ${SINCE})`], ["3.5.2", "3.5.2 to 3.7.0"], ["3.5.0", "3.5.0, 3.5.1"], ["3.4.1", "3.4.1"], ["3.0.0", "3.0.0 to 3.4.0"],
  ["2.8.1", "2.8.1, 2.8.2"], ["2.5.1", "2.5.1 to 2.8.0"], ["2.4.0", "2.4.0 to 2.5.0"], ["2.3.0", "2.3.0, 2.3.1"], ["2.2.0", "2.2.0 to 2.2.2"]];
let group, answer = null, view = "now", kafka = "", preset = null, notes = [], past = [], roll = null, turn = 0;

const number = (release) => release.split(".").reduce((sum, part) => 1000 * sum + +part, 0);
const alike = (release) => { // the entry of the releases that assign as this one does
  if (!release || number(release) >= number(SINCE)) return "";
  return RELEASES.slice(1).find(([first]) => number(first) <= number(release))?.[0] ?? release;
};
const key = (partition) => `${partition[0]}\u001f${partition[1]}`;
const unkey = (text) => { const [topic, number] = text.split("\u001f"); return [topic, +number]; };
const copy = (value) => JSON.parse(JSON.stringify(value));
const many = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
const list = (names) => names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
const label = (name) => name === "best" ? "best possible" : name;
const topicOf = (name) => group.topics.find((topic) => topic.name === name);
const memberOf = (id) => group.members.find((member) => member.id === id);
const reads = (member, topic) => member.topics.includes(topic);
const exists = (partition) => partition[1] < (topicOf(partition[0])?.partitions ?? 0);
const partitions = () => group.topics.flatMap((topic) => Array.from({ length: topic.partitions }, (_, number) => [topic.name, number]));
const short = (id) => answer?.names?.[id] ?? roll?.names?.[id] ?? id;
const status = (text) => { $("state").textContent = text; };
const say = (text) => { $("live").textContent = text === $("live").textContent ? `${text}\u00a0` : text; }; // what is said twice must differ to be heard
function named(text) { // sentences with names cut to what tells them apart
  for (const [id, cut] of Object.entries(answer?.names ?? {}).sort((a, b) => b[0].length - a[0].length)) if (cut !== id) text = text.split(id).join(cut);
  return text;
}
function far(partition, member) {
  const racks = topicOf(partition[0])?.racks?.[partition[1]];
  return !!(member.rack && racks && racks.some((rack) => rack) && !racks.includes(member.rack));
}
function owners() { // whose claims stand: the newest generation's
  const found = new Map(), newest = new Map();
  for (const member of group.members) {
    for (const partition of member.owned) {
      const k = key(partition), generation = member.generation ?? -1;
      if (!found.has(k) || generation > newest.get(k)) { found.set(k, [member.id]); newest.set(k, generation); }
      else if (generation === newest.get(k)) found.get(k).push(member.id);
    }
  }
  return found;
}
const held = () => Object.fromEntries(group.members.map((member) => [member.id, member.owned]));

function use(value) {
  group = copy(value);
  for (const member of group.members) member.owned ??= [];
}
function change(what, said) {
  past.push(copy({ group, kafka, notes, preset: preset?.id }));
  if (past.length > 200) past.shift();
  what();
  preset = null;
  endRoll();
  view = "now";
  return recompute(null, said);
}
async function recompute(known, said = "") {
  const mine = ++turn;
  if (known) answer = known;
  if (answer) draw(true); else drawRows(false);
  save();
  if (known) return say([said, verdicts()].filter(Boolean).join(": "));
  if (said) say(said);
  try {
    const found = await ask("answer", { group, kafka });
    if (mine !== turn) return;
    answer = found;
    document.documentElement.dataset.answered = mine;
    draw(false);
    say(verdicts());
  } catch (wrong) {
    if (mine !== turn || wrong.message === "overtaken") return;
    $("lead").textContent = wrong.message;
    say(wrong.message);
  }
}
function show(chosen) {
  preset = chosen;
  use(chosen.group);
  kafka = chosen.kafka || "";
  notes = chosen.notes ?? [];
  endRoll();
  view = "now";
  return recompute(chosen.answer);
}
function undo() {
  const before = past.pop();
  if (!before) return;
  ({ group, kafka, notes } = before);
  preset = kassayPresets.find((each) => each.id === before.preset) ?? null;
  endRoll();
  view = "now";
  if (!past.length && document.activeElement === $("undo")) $("join").focus({ preventScroll: true }); // it is off now
  recompute(preset?.answer, "undone");
}

/* ---- the link: a preset's name, or the group itself; then what is shown of it ---- */
const pipe = async (bytes, how) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(how)).arrayBuffer());
async function packed(state) {
  const bytes = await pipe(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return "g=" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
async function unpackedState(fragment) {
  const bytes = Uint8Array.from(atob(fragment.slice(2).replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await pipe(bytes, new DecompressionStream("deflate-raw"))));
}
let saving = 0;
function save() {
  clearTimeout(saving);
  saving = setTimeout(async () => {
    const restart = roll ? { at: roll.at, same: roll.same } : undefined;
    const own = preset && !preset.given;
    const hash = own && !roll ? preset.id + (view === "now" ? "" : `/${view}`) : await packed({ group, kafka, view, notes, roll: restart });
    if (location.hash.slice(1) !== hash) history.replaceState(null, "", `#${hash}`);
  }, 150);
}
async function open() {
  const hash = decodeURIComponent(location.hash.slice(1));
  if (!hash.startsWith("g=")) {
    const [id, shown] = hash.split("/");
    await show(kassayPresets.find((each) => each.id === id) ?? kassayPresets[0]);
    if (VIEWS.includes(shown)) select(shown, false);
    return;
  }
  let state;
  try {
    state = await unpackedState(hash);
  } catch (wrong) {
    await show(kassayPresets[0]);
    notes = [`The link could not be read: ${wrong.message}`];
    return draw(false);
  }
  use(state.group);
  kafka = alike(state.kafka);
  notes = state.notes ?? [];
  view = "now";
  preset = kassayPresets.find((each) => JSON.stringify(each.group) === JSON.stringify(state.group) && (each.kafka || "") === kafka) ?? null;
  if (!preset) answer = null;
  const shown = VIEWS.includes(state.view) ? state.view : "now";
  await recompute(preset?.answer);
  if (answer) select(shown, false);
  if (state.roll) { $("same").checked = !!state.roll.same; await startRoll(state.roll.at); }
}
