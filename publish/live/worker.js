// The worker of a page: Python with the kit. In front of this script, `runtime.py` puts SETTINGS.
// A message to it is { call, args, files }: the full name of a function, which returns JSON; its arguments; and the bytes
// of files by their paths, which are written first. It answers { answer } or { error }, and tells { loaded, total } in
// bytes while it starts, { ready }, the addresses of what it has loaded, when it has started, or { fatal } if it cannot.
const HERE = new URL(".", self.location.href).href;

// The bytes of the large files are counted as they arrive. Pyodide waits for ever for a file that does not.
const total = Object.values(SETTINGS.sizes).reduce((sum, size) => sum + size);
let loaded = 0;
const plainFetch = self.fetch;
self.fetch = async (address, options) => {
  const name = String(address.url ?? address).split("/").at(-1);
  try {
    const response = await plainFetch(address, options);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    // A browser keeps what it has compiled only with a response of its own, so a copy of it is counted.
    if (name in SETTINGS.sizes) count(response.clone().body, name);
    return response;
  } catch (error) {
    throw failed(name, error);
  }
};

async function count(body, name) {
  try {
    const reader = body.getReader();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      loaded += value.length;
      postMessage({ loaded, total });
    }
  } catch (error) {
    failed(name, error);
  }
}

function failed(name, error) {
  postMessage({ fatal: `${name}: ${error.message}` });
  return error;
}
self.onunhandledrejection = (event) => event.preventDefault(); // of a file, which is told above

async function start() {
  const archives = Promise.all(["tokenlab.zip", "data.zip"].map(async (name) => (await fetch(HERE + name)).arrayBuffer()));
  archives.catch(() => {}); // awaited below
  const { loadPyodide } = await import(`${HERE}pyodide.mjs`);
  const python = await loadPyodide({
    indexURL: HERE, packageBaseUrl: HERE, lockFileContents: SETTINGS.lock, env: { PYTHONHASHSEED: "0" },
  });
  const [kit, data] = await archives;
  python.FS.writeFile("/tokenlab.zip", new Uint8Array(kit)); // Python imports from the archive
  python.unpackArchive(data, "zip", { extractDir: "/data" });
  python.runPython(`
import sys
sys.path.insert(0, "/tokenlab.zip")
import pathlib, tokenlab.data
tokenlab.data.FOLDER = pathlib.Path("/data")
`);
  return python;
}

const started = start();
const used = () => [self.location.href, ...performance.getEntriesByType("resource").map((entry) => entry.name)];
started.then(() => postMessage({ ready: used() }), (error) => postMessage({ fatal: error.message }));

self.onmessage = async ({ data }) => {
  try {
    postMessage({ answer: await answer(data) });
  } catch (error) {
    postMessage({ error: error.message.trim().split("\n").at(-1) }); // of a traceback, its last line
  }
};

// A package that is missing is loaded if the site has it.
async function answer({ call, args, files = {} }) {
  const python = await started;
  for (const [path, content] of Object.entries(files)) {
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")) || "/");
    python.FS.writeFile(path, new Uint8Array(content));
  }
  const [, module, name] = call.match(/^(.*)\.(\w+)$/);
  for (;;) {
    const answer = JSON.parse(python.pyimport(module)[name](...args));
    if (!answer.missing) return answer;
    if (!SETTINGS.packages.includes(answer.missing)) {
      throw new Error(`This needs the Python package ${answer.missing}, which these pages do not have.`);
    }
    await python.loadPackage(answer.missing);
  }
}
