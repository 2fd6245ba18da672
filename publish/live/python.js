// Python in a worker, for the scripts of a page: one computation at a time, and one worker for the whole page.
// `clients` are the parts of the page that need it, in order of urgency. A client has `waits()`: whether it has a request;
// `take()`: the request, { call, args, files }; and is told: `accept(answer)`, `fail(why)`, `showLoading(loaded, total)`,
// `showComputing()`, and `forget()` when the worker with all its state is gone.
const WORKER = document.currentScript.dataset.worker;
const PATIENCE = 3000; // milliseconds of a computation that a newer request waits for; then the worker is replaced
const SERVED = "A browser runs Python only in pages that come from a server. Run python -m http.server in the folder of "
  + "these pages, and open http://localhost:8000.";

const clients = [];
let worker = null, started = false, running = null;

function startPython() {
  if (location.protocol === "file:") return stopPython(SERVED);
  worker = new Worker(WORKER, { type: "module" });
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = (event) => stopPython(`Python could not be loaded: ${event.message || "a file is missing"}.`);
}

// A computation cannot be interrupted from outside, so its worker ends, and the next request starts another one.
function interrupt() {
  worker?.terminate();
  worker = running = null;
  started = false;
  for (const client of clients) client.forget();
}

// Every client that waits says why; the next request starts Python again.
function stopPython(why) {
  interrupt();
  for (const client of clients) client.fail(why);
}

function receive({ answer, error, fatal, loaded, total, ready }) {
  if (ready) {
    started = true;
    keepOffline(ready);
    if (!running) return;
    running.since = performance.now();
    running.client.showComputing();
    return;
  }
  if (fatal) return stopPython(`Python could not be loaded: ${fatal}.`);
  if (total) return clients.forEach((client) => client.showLoading(loaded, total));
  const { client } = running;
  running = null;
  if (error) client.fail(error);
  else client.accept(answer);
  next();
}

// Send the next request. A computation that a newer request waits for too long is interrupted.
function next() {
  if (!clients.some((each) => each.waits())) return;
  if (running && !started) return;
  const rest = running ? PATIENCE - (performance.now() - running.since) : 0;
  if (rest > 0) return void setTimeout(next, rest + 1);
  if (running) interrupt();
  if (!worker) startPython();
  const client = clients.find((each) => each.waits());
  if (!worker || !client) return;
  running = { client, since: performance.now() };
  worker.postMessage(client.take());
  client.showComputing();
}

// When Python has started, the service worker gets the addresses of all files, so that the page works without a network
// from now on. The browser has the files in its cache.
let kept = false;
async function keepOffline(python) {
  if (kept || !navigator.serviceWorker) return;
  kept = true;
  try {
    await navigator.serviceWorker.register("offline.js");
    const { active } = await navigator.serviceWorker.ready;
    const page = performance.getEntriesByType("resource").map((entry) => entry.name);
    active.postMessage({ page: [location.href.split("#")[0], ...page], python });
  } catch { /* private windows have no service worker */ }
}

function make(tag, attributes = {}, text = "") {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

// A line about the work of Python: a bar, a sentence, and a button that ends a computation.
function workStatus() {
  const line = make("p", { class: "tokenlab-status", role: "status" }), said = make("span");
  const bar = make("progress", { "aria-label": "Work of Python" });
  const cancel = make("button", { type: "button" }, "Cancel");
  let timer = 0;
  const tell = (text, value) => {
    clearTimeout(timer);
    said.textContent = text;
    if (value === null) bar.removeAttribute("value");
    else bar.value = value;
    cancel.hidden = value !== null;
    line.hidden = false;
  };
  const size = (bytes) => (bytes / 1e6).toFixed(1);
  line.append(bar, said, cancel);
  line.hidden = true;
  const status = {
    line, tell,
    hide() {
      clearTimeout(timer);
      line.hidden = true;
    },
    loading(loaded, total) {
      tell(loaded < total ? `Python is loading: ${size(loaded)} of ${size(total)} MB` : "Python starts …", loaded / total);
    },
    // A short computation is not announced.
    computing() {
      clearTimeout(timer);
      timer = setTimeout(() => tell("Computing …", null), 500);
    },
  };
  cancel.onclick = () => {
    interrupt();
    status.hide();
  };
  return status;
}
