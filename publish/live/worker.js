// The worker of a page: Python with the kit, which makes the explorers of the page and changes their controls.
// A message to it: { id, program, values }. Messages from it: { loaded, total } in bytes, { fatal } if Python cannot be
// started, and for each message to it { state } or { error }.
// In front of this script, `runtime.py` puts SETTINGS.
const HERE = new URL(".", self.location.href).href;

// The bytes of the large files are counted as they arrive.
const total = Object.values(SETTINGS.sizes).reduce((sum, size) => sum + size);
let loaded = 0;
const plainFetch = self.fetch;
self.fetch = async (address, options) => {
  const response = await plainFetch(address, options);
  const name = String(address.url ?? address).split("/").at(-1);
  if (!response.ok) throw new Error(`${name} could not be loaded (${response.status} ${response.statusText})`);
  if (!(name in SETTINGS.sizes)) return response;
  const count = new TransformStream({
    transform(part, controller) {
      loaded += part.length;
      postMessage({ loaded, total });
      controller.enqueue(part);
    },
  });
  return new Response(response.body.pipeThrough(count), { headers: response.headers });
};

async function start() {
  const kit = fetch(`${HERE}tokenlab.zip`).then((response) => response.arrayBuffer());
  kit.catch(() => {});  // awaited below
  const { loadPyodide } = await import(`${HERE}pyodide.mjs`);
  const python = await loadPyodide({
    indexURL: HERE, packageBaseUrl: HERE, lockFileContents: SETTINGS.lock, env: { PYTHONHASHSEED: "0" },
  });
  python.unpackArchive(await kit, "zip", { extractDir: "/kit" });
  python.runPython("import sys; sys.path.insert(0, '/kit')");
  return { python, answer: python.runPython("from tokenlab.show.explorers.in_tab import answer; answer") };
}

const started = start();
started.catch((error) => postMessage({ fatal: error.message }));

self.onmessage = ({ data }) => reply(data).catch((error) => postMessage({ error: error.message }));

async function reply({ id, program, values }) {
  const { python, answer } = await started;
  for (;;) {
    const { missing, ...state } = JSON.parse(answer(id, program, JSON.stringify(values)));
    if (!missing) return postMessage({ state });
    if (!SETTINGS.packages.includes(missing)) {
      throw new Error(`This explorer needs the Python package ${missing}, which these pages do not have.`);
    }
    await python.loadPackage(missing);
  }
}
