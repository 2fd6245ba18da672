// Compile the Python files of archives with the Python of Pyodide: node compile.mjs PYODIDE OUT ARCHIVE=PLACE ...
// Each archive is written to the folder OUT under its name, with a .pyc file for each .py file; PLACE is the folder in
// which Python will find it. With compiled files, Python starts in a third of the time.
import { basename } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const PROGRAM = `
import importlib.util, io, marshal, zipfile

def compiled(content, place):
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as written:
        for name in sorted(archive.namelist()):
            data = archive.read(name)
            if name.endswith(".py"):
                # Flag 1: the source is not there to be compared with this hash of it.
                head = importlib.util.MAGIC_NUMBER + b"\\1\\0\\0\\0" + importlib.util.source_hash(data)
                name, data = name + "c", head + marshal.dumps(compile(data, f"{place}/{name}", "exec", 0, True, 2))
            written.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()

compiled
`;

async function main([pyodide, out, ...archives]) {
  const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
  const python = await loadPyodide({ indexURL: `${pyodide}/` });
  const compiled = python.runPython(PROGRAM);
  const bytes = python.globals.get("bytes");
  for (const each of archives) {
    const [archive, place] = each.split("=");
    const content = bytes(python.toPy(new Uint8Array(readFileSync(archive))));
    writeFileSync(`${out}/${basename(archive)}`, compiled(content, place).toJs());
  }
}

// Or Node.js would print the line of Pyodide's script that failed, of a million characters.
main(process.argv.slice(2)).then(() => process.exit(0), (error) => {
  console.error(error.message);
  process.exit(1);
});
