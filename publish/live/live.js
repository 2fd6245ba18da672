// Live explorers: Python in a worker answers what a reader types on a page, with the functions of the kit.
// Beside each explorer lies the program that makes it (`publish/live/cells.py`); until Python has answered, the page
// shows the stored player. One worker serves all explorers of a page.
(() => {
  const WORKER = document.currentScript.dataset.worker;
  const PATIENCE = 3000; // milliseconds of a computation that a newer key waits for; then Python starts again
  const SERVED = "A browser runs Python only in pages that come from a server. Run python -m http.server in the folder "
    + "of these pages, and open http://localhost:8000.";
  const DAMAGED = "This link is damaged, so the player shows the stored text.";
  const LONGEST = 20000, MOST_VALUES = 30; // of a link: characters of a text, and controls

  // --- Python: one worker, which computes one request at a time -------------------------------------

  let worker = null, starting = null, running = null;
  const explorers = [];

  async function startPython() {
    if (location.protocol === "file:") throw new Error(SERVED);
    await keepOffline();
    worker = new Worker(WORKER, { type: "module" });
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = (event) => stopPython(event.message || "Python could not be loaded.");
  }

  // A computation cannot be interrupted from outside, so its worker ends, and the next request starts another one.
  function interrupt() {
    worker?.terminate();
    worker = starting = running = null;
    for (const explorer of explorers) explorer.forget();
  }

  // Every explorer that waits says why; the next change starts Python again.
  function stopPython(why) {
    interrupt();
    for (const explorer of explorers) explorer.fail(why);
  }

  function receive({ state, error, fatal, loaded, total }) {
    if (fatal) return stopPython(`Python could not be loaded: ${fatal}.`);
    if (total) return explorers.forEach((explorer) => explorer.showLoading(loaded, total));
    const { explorer } = running;
    running = null;
    if (error) explorer.fail(error);
    else explorer.accept(state);
    next();
  }

  // Send the next request. A computation that a newer key waits for too long is interrupted.
  async function next() {
    if (!explorers.some((explorer) => explorer.waits())) return;
    const rest = running ? PATIENCE - (performance.now() - running.since) : 0;
    if (rest > 0) return void setTimeout(next, rest + 1);
    if (running) interrupt();
    starting ??= startPython().catch((error) => stopPython(error.message));
    await starting;
    const explorer = explorers.find((each) => each.waits());
    if (!worker || running || !explorer) return;
    running = { explorer, since: performance.now() };
    worker.postMessage({ id: explorer.name, program: explorer.program, values: explorer.take() });
    explorer.showComputing();
  }

  // The service worker keeps the files, so that a page works without a network after its first load.
  async function keepOffline() {
    const { serviceWorker } = navigator;
    if (!serviceWorker) return;
    try {
      await serviceWorker.register("offline.js");
      const { active } = await serviceWorker.ready;
      if (!serviceWorker.controller) {
        await new Promise((done) => {
          serviceWorker.addEventListener("controllerchange", done, { once: true });
          setTimeout(done, 1000);
        });
      }
      const used = performance.getEntriesByType("resource").map((entry) => entry.name);
      active.postMessage({ page: location.href.split("#")[0], used, worker: new URL(WORKER, location.href).href });
    } catch { /* private windows have none */ }
  }

  // --- An explorer ------------------------------------------------------------------------------------

  function makeLive(script, number) {
    const frame = script.parentElement, fields = frame.querySelector("fieldset");
    const place = frame.querySelector(".tokenlab"), legend = fields.querySelector("legend");
    const elements = [...fields.querySelectorAll("textarea, input, select")];
    const message = make("p", { role: "alert" }), said = make("div", { class: "tokenlab-message" });
    const status = make("p", { class: "tokenlab-status", role: "status" });
    const bar = make("progress", { "aria-label": "Python is loading" }), line = make("span");
    const cancel = make("button", { type: "button" }, "Cancel");
    const copy = make("button", { type: "button", class: "tokenlab-copy" }, "Copy link");
    const go = make("button", { type: "button" }, "Make it live");
    const model = { get: () => explorer.state.data, on: (_, draw) => { explorer.draw = draw; }, off() {} };
    // Values: typed and not sent yet; sent and not answered yet; the state of the explorer in the worker that ended.
    let changed = {}, sent = {}, lost = {};
    let timer = 0, began = false, step = null;

    const explorer = {
      name: String(number + 1), program: JSON.parse(script.textContent), state: null, draw: null,
      waits: () => began && (!explorer.state || Object.keys(changed).length > 0),
      // The values to send: those that changed, and all of them to a new worker.
      take() {
        sent = { ...lost, ...changed };
        lost = {};
        changed = {};
        return sent;
      },
      forget() {
        clearTimeout(timer);
        lost = { ...valuesOf(explorer.state), ...lost, ...sent };
        sent = {};
      },
      accept(state) {
        clearTimeout(timer);
        sent = {};
        const first = !explorer.state;
        explorer.state = state;
        if (first) adopt();
        update();
        status.hidden = true;
        frame.classList.toggle("tokenlab-stale", Boolean(state.message));
        say(state.message);
        if (state.data) draw();
      },
      fail(why) {
        clearTimeout(timer);
        status.hidden = true;
        if (!began) return;
        began = Boolean(explorer.state);
        go.hidden = began;
        say(explorer.state ? why : `${why} The stored player stays.`);
      },
      showLoading(loaded, all) {
        if (!began || explorer.state) return;
        const size = (bytes) => (bytes / 1e6).toFixed(1);
        bar.max = all;
        bar.value = loaded;
        line.textContent = loaded < all ? `Python is loading: ${size(loaded)} of ${size(all)} MB` : "Python starts …";
        status.hidden = bar.hidden = false;
        cancel.hidden = true;
      },
      showComputing() {
        if (explorer.state) timer = setTimeout(() => {
          bar.removeAttribute("value");
          line.textContent = "Computing …";
          status.hidden = bar.hidden = cancel.hidden = false;
        }, 500);
      },
      open(values, at) {
        changed = values;
        step = at;
        if (Object.keys(values).length) begin();
        else goTo(at);
        frame.scrollIntoView({ block: "nearest" });
      },
      say,
    };

    function say(text) {
      message.textContent = text;
      said.hidden = !text;
    }

    function begin() {
      if (began) return;
      began = true;
      go.hidden = true;
      say("");
      line.textContent = "Python is loading …";
      status.hidden = bar.hidden = false;
      cancel.hidden = true;
      next();
    }

    // The stored controls become those of the explorer; what was typed meanwhile is kept.
    function adopt() {
      explorer.state.controls.filter((control) => control.shown).forEach((control, at) => {
        const element = elements[at];
        element.name = control.name;
        if (element.dataset.typed) changed[control.name] = valueOf(element);
        if (element.type === "range") {
          element.nextSibling?.remove();
          element.after(make("output"));
        }
      });
      legend.textContent = "Type your own text, or change the settings.";
      frame.classList.add("tokenlab-is-live");
      elements.forEach((element) => { element.disabled = false; });
    }

    function update() {
      for (const control of explorer.state.controls) {
        const element = elements.find((each) => each.name === control.name);
        if (element) show(element, control, control.name in changed);
      }
    }

    function draw() {
      if (explorer.draw) explorer.draw();
      else tokenlabPlayer.render({ model, el: place });
      if (step !== null) goTo(step);
      step = null;
      addCopy();
    }

    // The step of the player is that of its slider.
    const slider = () => place.querySelector(".tl-bar input[type=range]");
    function goTo(at) {
      slider().value = at;
      slider().dispatchEvent(new Event("input"));
    }

    function addCopy() {
      const focused = document.activeElement === copy;
      place.querySelector(".tl-bar")?.append(copy);
      if (focused) copy.focus();
    }

    const address = () => linkTo(number, { ...valuesOf(explorer.state), ...changed }, Number(slider()?.value ?? 0));

    let remembering = 0;
    function remember() {
      clearTimeout(remembering);
      remembering = setTimeout(async () => history.replaceState(null, "", await address()), 300);
    }

    copy.onclick = async () => {
      const link = await address();
      history.replaceState(null, "", link);
      const done = await navigator.clipboard?.writeText(link).then(() => true, () => false);
      copy.textContent = done ? "Copied" : "It is in the address";
      setTimeout(() => { copy.textContent = "Copy link"; }, 2000);
    };
    cancel.onclick = () => {
      interrupt();
      status.hidden = true;
    };
    go.onclick = begin;
    fields.addEventListener("input", ({ target }) => {
      target.dataset.typed = "yes";
      if (explorer.state) changed[target.name] = valueOf(target);
      if (target.type === "range") target.nextElementSibling?.replaceChildren(target.value);
      begin();
      next();
      remember();
    });
    fields.addEventListener("focusin", ({ target }) => { if (target !== go) begin(); });
    for (const kind of ["click", "keyup", "change", "touchend"]) place.addEventListener(kind, remember);

    fields.disabled = false;
    elements.forEach((element) => { element.disabled = false; });
    legend.textContent = "Type your own text, or change the settings: ";
    legend.append(go);
    status.append(bar, line, cancel);
    status.hidden = said.hidden = true;
    said.append(message);
    fields.append(said, status);
    addCopy();
    return explorer;
  }

  // What a control of a page shows, and the value that Python gets.
  function show(element, control, typed) {
    if (element.type === "range") Object.assign(element, { min: control.min, max: control.max, step: control.step });
    if (element.localName === "select" && element.length !== control.options.length) {
      element.replaceChildren(...control.options.map((label) => Object.assign(make("option"), { textContent: label })));
    }
    if (!typed) {
      if (element.type === "checkbox") element.checked = control.value;
      else if (element.localName === "select") element.selectedIndex = control.value;
      else if (element.value !== String(control.value)) element.value = control.value;
    }
    if (element.type === "range") element.nextElementSibling.textContent = element.value;
  }

  function valueOf(element) {
    if (element.type === "checkbox") return element.checked;
    if (element.type === "range") return Number(element.value);
    return element.localName === "select" ? element.selectedIndex : element.value;
  }

  const valuesOf = (state) => Object.fromEntries((state?.controls ?? []).map(({ name, value }) => [name, value]));

  // --- Links: the state of an explorer in the fragment of the address, which no server sees -----------

  const pipe = (bytes, through) => new Response(new Blob([bytes]).stream().pipeThrough(through));

  async function linkTo(number, values, step) {
    const json = new TextEncoder().encode(JSON.stringify([values, step]));
    const packed = await pipe(json, new CompressionStream("deflate-raw")).bytes();
    const signs = btoa(String.fromCharCode(...packed)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    return `${location.href.split("#")[0]}#try=${number + 1}.${signs}`;
  }

  // Return the number, values and step of a link, or null; a value is a text, a number, or true or false.
  async function readLink(fragment) {
    try {
      const [, number, signs] = fragment.match(/^#try=(\d{1,3})\.([\w-]{1,60000})$/);
      const packed = Uint8Array.from(atob(signs.replaceAll("-", "+").replaceAll("_", "/")), (s) => s.charCodeAt());
      const text = await atMost(pipe(packed, new DecompressionStream("deflate-raw")).body, 4 * LONGEST);
      const [values, step] = JSON.parse(text);
      const fits = (value) => typeof value === "boolean" || Number.isFinite(value)
        || (typeof value === "string" && value.length <= LONGEST);
      const right = Object.getPrototypeOf(values) === Object.prototype && Object.keys(values).length <= MOST_VALUES
        && Object.values(values).every(fits) && Number.isInteger(step) && step >= 0;
      return right ? { explorer: explorers[number - 1], values, step } : null;
    } catch {
      return null;
    }
  }

  async function atMost(stream, most) {
    const decoder = new TextDecoder();
    let text = "", size = 0;
    for await (const part of stream) {
      size += part.length;
      if (size > most) throw new Error("too long");
      text += decoder.decode(part, { stream: true });
    }
    return text + decoder.decode();
  }

  async function follow() {
    if (!location.hash.startsWith("#try=")) return;
    const link = await readLink(location.hash);
    if (link?.explorer) link.explorer.open(link.values, link.step);
    else explorers[0]?.say(DAMAGED);
  }

  function make(tag, attributes = {}, text = "") {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  }

  addEventListener("DOMContentLoaded", () => {
    explorers.push(...[...document.querySelectorAll("script[data-tokenlab=program]")].map(makeLive));
    follow();
  });
  addEventListener("hashchange", follow);
})();
