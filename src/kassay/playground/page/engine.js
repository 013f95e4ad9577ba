"use strict";
/* The engine: a worker that answers questions, ended and started again where one answer takes longer than the clock allows. */
const CLOCK = 5000, STARTING = 60000;
const engine = { worker: null, parts: null, ready: false, jobs: new Map(), next: 0, began: 0 };

function loadScript(src) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = src;
    script.onload = done;
    script.onerror = () => failed(Error(src));
    document.head.append(script);
  });
}

async function loadParts() {
  const parts = {};
  window.kassayPart = (name, text) => { parts[name] = text; };
  await loadScript("engine/parts.js").catch(() => { throw Error("there is no engine in this folder: nox -s playground makes it"); });
  await Promise.all(kassayEngine.scripts.map(loadScript));
  return parts;
}

function startWorker() {
  const source = `const kassayWorker = ${kassayWorker}; kassayWorker();`;
  engine.ready = false;
  engine.worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  engine.worker.onerror = (event) => failed(event.message);
  engine.worker.onmessage = ({ data }) => heard(data);
  engine.worker.postMessage({ parts: engine.parts, lock: kassayEngine.lock });
}

async function startEngine() {
  if (engine.worker || engine.parts) return;
  engine.parts = {};
  engine.began = performance.now();
  status("loading Python …");
  try {
    engine.parts = await loadParts();
    startWorker();
  } catch (wrong) {
    failed(wrong.message);
  }
}

function failed(why) {
  status(`The engine does not run: ${why}`);
  engine.parts = null;
  engine.worker = null;
  for (const job of engine.jobs.values()) job.failed(Error(why));
  engine.jobs.clear();
}

function heard(data) {
  if (data.ready) {
    engine.ready = true;
    document.documentElement.dataset.ready = Math.round(performance.now() - engine.began);
    status("");
    for (const job of engine.jobs.values()) send(job);
    return;
  }
  if (data.id === undefined && data.asking === undefined) return failed(data.error);
  const job = data.asking === undefined ? engine.jobs.get(data.id) : engine.current;
  if (!job) return;
  clearTimeout(job.timer);
  if (data.asking !== undefined) return watch(job, data.asking);
  engine.jobs.delete(data.id);
  document.documentElement.dataset.took = Math.round(performance.now() - job.at);
  if (data.error) job.failed(Error(data.error));
  else job.done(JSON.parse(data.text));
  engine.current = engine.jobs.values().next().value;
  if (engine.current) watch(engine.current, null);
}

function send(job) {
  job.at = performance.now();
  engine.worker.postMessage({ id: job.id, ask: job.ask, text: JSON.stringify({ ...job.asked, late: job.late }) });
  if (!engine.current || !engine.jobs.has(engine.current.id)) engine.current = job;
  if (engine.current === job) watch(job, null);
}

function watch(job, who) {
  clearTimeout(job.timer);
  job.timer = setTimeout(() => late(job, who), CLOCK);
}

function late(job, who) {
  engine.worker.terminate();
  engine.current = null;
  if (who === null || job.late.includes(who)) {
    engine.jobs.delete(job.id);
    job.failed(Error("no answer in 5 seconds; the worker was ended and is started again"));
  } else {
    job.late.push(who);
  }
  status(`${who === "best" ? "the best possible" : who ?? "that"}: no answer in 5 seconds; starting again …`);
  startWorker();
}

function ask(question, asked) {
  return new Promise((done, failed_) => {
    const job = { id: ++engine.next, ask: question, asked, late: [], done, failed: failed_ };
    for (const old of engine.jobs.values()) {
      if (old.ask === question && !engine.ready) { old.failed(Error("overtaken")); engine.jobs.delete(old.id); }
    }
    engine.jobs.set(job.id, job);
    startEngine();
    if (engine.ready) send(job);
  });
}
