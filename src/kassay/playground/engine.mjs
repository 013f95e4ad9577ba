// Makes the engine of the playground: node engine.mjs PYODIDE_FOLDER MSGSPEC_WHEEL KASSAY_ZIP ASKED_JSON OUT_FOLDER
// kassay.zip: its modules, compiled; stdlib.zip: the modules of Python's library that they need; snapshot.bin: a memory in which most of both
// are loaded. What needs msgspec, a library of its own, cannot stand in a snapshot and is loaded after it.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, wheel, zip, asked, out] = process.argv.slice(2).map((each) => path.resolve(each));
const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")));
const bytes = (file) => new Uint8Array(fs.readFileSync(file));
const config = { indexURL: pyodide, env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0" } };

const first = await loadPyodide(config);
first.FS.writeFile("/source.zip", bytes(zip));
first.FS.writeFile("/asked.json", bytes(asked));
first.unpackArchive(bytes(wheel).buffer, "wheel");
first.runPython(`
import importlib._bootstrap_external as external, importlib.util, json, sys, zipfile

source = zipfile.ZipFile("/source.zip")
with zipfile.ZipFile("/kassay.zip", "w") as made:
    for name in source.namelist():
        data = source.read(name)
        if name.endswith(".py"):
            code = compile(data, f"/kassay.zip/{name}", "exec", dont_inherit=True)
            name, data = name + "c", external._code_to_hash_pyc(code, importlib.util.source_hash(data), False)
        made.writestr(zipfile.ZipInfo(name), data)
sys.path.insert(0, "/kassay.zip")
from kassay.playground import bridge
import traceback, encodings.idna, encodings.latin_1

for question, text in json.load(open("/asked.json")):
    bridge.QUESTIONS[question](text)
own = [name for name in sys.modules if name.partition(".")[0] == "kassay"]
library = [name for name in sys.modules if name.partition(".")[0] not in ("kassay", "msgspec", "__main__")]
with zipfile.ZipFile(next(p for p in sys.path if p.endswith(".zip") and "python3" in p)) as whole, zipfile.ZipFile("/stdlib.zip", "w") as part:
    files = {name.replace(".", "/") for name in library}
    for name in whole.namelist():
        stem = name.rpartition(".")[0]
        if stem in files or stem.removesuffix("/__init__") in files:
            part.writestr(zipfile.ZipInfo(name), whole.read(name))
`);
for (const name of ["kassay.zip", "stdlib.zip"]) fs.writeFileSync(path.join(out, name), first.FS.readFile(`/${name}`));
const [own, library] = ["own", "library"].map((name) => first.runPython(`json.dumps(${name})`));

const second = await loadPyodide({ ...config, stdLibURL: path.join(out, "stdlib.zip"), _makeSnapshot: true });
second.FS.writeFile("/kassay.zip", bytes(path.join(out, "kassay.zip")));
second.runPython(`
import contextlib, gc, importlib, json, sys

sys.path.insert(0, "/kassay.zip")
for name in json.loads(r'''${library}''') + json.loads(r'''${own}'''):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != "msgspec":
            raise
gc.collect()
`);
fs.writeFileSync(path.join(out, "snapshot.bin"), second.makeMemorySnapshot());
