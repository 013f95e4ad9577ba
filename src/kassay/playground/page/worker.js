"use strict";
/* Runs kassay in Pyodide, away from the page, so that what never answers cannot stop it. Started from a blob: file:// has no other workers. */
function kassayWorker() {
  const bytes = async (text) => (await fetch("data:application/octet-stream;base64," + text)).arrayBuffer();
  const unpacked = async (text) => {
    const packed = new Blob([await bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(packed).arrayBuffer());
  };
  const address = (content, type) => URL.createObjectURL(new Blob([content], { type }));
  self.importScripts = undefined; // Pyodide wants a module worker, which file:// does not have; a classic one can import() all the same
  let py;

  async function start(parts, lock) {
    const names = ["pyodide.asm.wasm", "pyodide.asm.mjs", "pyodide.mjs", "stdlib.zip", "kassay.zip", "msgspec.whl", "snapshot.bin"];
    const [wasm, asm, loader, library, kassay, msgspec, snapshot] = await Promise.all(names.map((name) => unpacked(parts[name])));
    const real = self.fetch.bind(self);
    self.fetch = (what, how) => String(what.url || what).endsWith("pyodide.asm.wasm")
      ? Promise.resolve(new Response(wasm, { headers: { "Content-Type": "application/wasm" } })) : real(what, how);
    const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([loader, asm].map((each) => import(address(each, "text/javascript"))));
    py = await loadPyodide({
      indexURL: "https://nowhere.invalid/", packageBaseUrl: "https://nowhere.invalid/", lockFileContents: lock, createPyodideModule,
      stdLibURL: address(library, "application/zip"), _loadSnapshot: snapshot, env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0" },
    });
    py.unpackArchive(msgspec.buffer, "wheel");
    py.FS.writeFile("/kassay.zip", kassay);
    py.globals.set("tell", (name) => postMessage({ asking: name }));
    py.runPython("from kassay.playground.bridge import QUESTIONS");
  }

  onmessage = async ({ data }) => {
    try {
      if (data.parts) {
        await start(data.parts, data.lock);
        return postMessage({ ready: true });
      }
      py.globals.set("asked", data.text);
      const more = data.ask === "answer" || data.ask === "roll" ? ", tell" : "";
      return postMessage({ id: data.id, text: py.runPython(`QUESTIONS["${data.ask}"](asked${more})`) });
    } catch (error) {
      return postMessage({ id: data.id, error: String(error).trim().split("\n").slice(-1)[0] });
    }
  };
}
