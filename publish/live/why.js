// why.html: why a tokenizer splits a text that way. The files of a reader go to Python in the worker of this tab
// (tokenlab/why/in_tab.py) and nowhere else; `why_results.js` shows its answers.
const MODULE = "tokenlab.why.in_tab", HUB = "https://huggingface.co";
const LARGEST = 200e6; // bytes of files (in_tab.py, LARGEST_FILE)
const PATIENT = 20000; // milliseconds for an answer of the hub
const CONFIGURATIONS = ["tokenizer_config.json", "config.json", "special_tokens_map.json", "added_tokens.json"];
const OTHERS = ["vocab.json", "merges.txt", "vocab.txt", "spiece.model", "tokenizer.model", "sentencepiece.bpe.model"];
const SAMPLE = "small.tiktoken";
const SAMPLE_TEXT = "Two  spaces, naïve 日本語, 👩‍👧 and a space "; // of lesson 04
const DAMAGED_LINK = "This link is damaged; type a text instead.";

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

function makeWhy(place) {
  const status = workStatus(), alert = make("p", { role: "alert", class: "why-error" });
  const text = make("textarea", { rows: 3, spellcheck: "false" });
  const results = makeResults({
    onToken(index) {
      wanted = index;
      begin();
    },
    onAll() {
      most = 0;
      begin();
    },
  });
  const settings = makeSettings(place);
  let busy = null; // the request that Python works on
  let asked = null, compared = null; // the texts that were sent last
  let wanted = null, most = null; // the token, and the number of pre-tokens, that a reader asks for
  const first = makeSlot("first"), second = makeSlot("second");

  // --- requests ---------------------------------------------------------------------------------

  function pending() {
    for (const slot of [first, second]) if (slot.state === "new") return { kind: "load", slot };
    if (first.state !== "loaded") return null;
    const explained = `${most} ${text.value}`;
    if (asked !== explained) return { kind: "explain", explained };
    if (wanted !== null) return { kind: "origin", index: wanted };
    if (second.state === "loaded" && compared !== text.value) return { kind: "compare" };
    return null;
  }

  const client = {
    // A file that is being read is not interrupted by a newer text, but by a newer file.
    waits() {
      const request = pending();
      return request !== null && (busy?.kind !== "load" || request.kind === "load");
    },
    take() {
      busy = pending();
      const { kind, slot } = busy;
      if (kind === "load") {
        slot.state = "sent";
        asked = slot === first ? null : asked;
        compared = null;
        return slot.request();
      }
      busy.text = text.value;
      if (kind === "explain") {
        asked = busy.explained;
        wanted = null;
        return { call: `${MODULE}.explain`, args: ["first", text.value, ...(most === null ? [] : [most])] };
      }
      if (kind === "origin") {
        wanted = null;
        return { call: `${MODULE}.token_origin`, args: ["first", text.value, busy.index] };
      }
      compared = text.value;
      return { call: `${MODULE}.compare`, args: [text.value, first.name, second.name] };
    },
    accept(answer) {
      const { kind, slot, index } = busy;
      busy = null;
      status.hide();
      // An answer about a file that was replaced meanwhile is not shown.
      const about = slot ? [slot] : kind === "compare" ? [first, second] : [first];
      if (about.some(({ state }) => state !== (slot ? "sent" : "loaded"))) return;
      if (kind === "load") slot.state = answer.error ? "failed" : "loaded";
      if (answer.error) return fail(answer.error);
      fail("");
      if (kind === "load") slot.loaded(answer);
      if (kind === "explain") results.showExplanation(answer);
      if (kind === "origin") results.showOrigin(answer, index);
      if (kind === "compare") results.showComparison(answer, [first.name, second.name]);
    },
    fail(why) {
      if (busy?.kind === "load" && busy.slot.state === "sent") busy.slot.state = "failed";
      const mine = busy || pending();
      busy = null;
      status.hide();
      if (mine) fail(why);
    },
    // The worker is gone, and the tokenizers with it. A file whose reading was canceled is not read again.
    forget() {
      const again = pending() !== null;
      for (const slot of [first, second]) {
        if (slot.state === "loaded") slot.state = "new";
        if (slot.state === "sent") slot.state = again ? "new" : "failed";
      }
      busy = null;
    },
    showLoading(loaded, total) {
      if (busy || pending()) status.loading(loaded, total);
    },
    showComputing() {
      if (busy.kind === "load") status.tell(`Python reads ${busy.slot.name}${busy.slot.size()} …`, null);
      else status.computing();
    },
  };

  function fail(why) {
    alert.textContent = why;
    alert.hidden = !why;
  }

  function begin() {
    if (pending() && !worker) status.loading(0, 1);
    next();
  }

  // --- tokenizers -------------------------------------------------------------------------------

  function makeSlot(key) {
    const title = key === "first" ? "The tokenizer" : "A second tokenizer, to compare";
    const fields = make("fieldset", { class: "why-slot" });
    const chooser = make("input", { type: "file", multiple: "" });
    const drop = make("label", { class: "why-drop" }, "Drop a file, a folder (zipped or not), or all its files here: ");
    const plainText = { type: "text", spellcheck: "false", autocapitalize: "off" };
    const hub = make("input", { ...plainText, placeholder: "openai-community/gpt2" });
    const hubLabel = make("label", {}, "or a repository of the Hugging Face hub: ");
    const fetcher = make("button", { type: "button" }, "Fetch");
    const extra = make("button", { type: "button" }, key === "first" ? `Try ${SAMPLE}` : "Remove");
    const said = make("p", { class: "why-summary" }), notes = make("ul", { class: "why-notes" });
    const line = make("div", { class: "why-line" });
    const slot = {
      fields, name: "", state: "empty", files: null, sample: false,
      size() {
        const bytes = Object.values(slot.files ?? {}).reduce((sum, file) => sum + file.byteLength, 0);
        return bytes > 1e5 ? ` (${megabytes(bytes)} MB)` : "";
      },
      request() {
        if (slot.sample) return { call: `${MODULE}.load_sample`, args: [key] };
        const folder = `/why/${key}`, names = Object.keys(slot.files);
        const inside = slot.folder ? `${folder}/${slot.folder}` : folder;
        const files = Object.fromEntries(names.map((name) => [`${inside}/${name}`, slot.files[name]]));
        const options = key === "first" ? settings.values() : {};
        const args = [key, folder, slot.folder ?? names[0], JSON.stringify(options)];
        return { call: `${MODULE}.load_file`, args, files };
      },
      loaded(answer) {
        said.textContent = `${slot.name}: ${answer.tokenizer}`;
        showNotes(notes, answer.notes);
      },
      set(name, files, folder = null, sample = false) {
        Object.assign(slot, { name, files, folder, sample, state: "new" });
        said.textContent = name;
        showNotes(notes, []);
        if (key === "first") results.clear();
        else results.hideComparison();
        fail("");
        begin();
      },
      remove() {
        Object.assign(slot, { name: "", files: null, state: "empty" });
        said.textContent = "";
        chooser.value = hub.value = "";
        showNotes(notes, []);
        results.hideComparison();
      },
    };

    // The files are read into memory, with a bar, and replace those that the slot has.
    async function take(files) {
      try {
        if (!files.length) return;
        const size = files.reduce((sum, file) => sum + file.size, 0);
        if (size > LARGEST) {
          throw new Error(`${files[0].name} has ${Math.round(size / 1e6)} MB, more than the ${LARGEST / 1e6} MB that a tab `
            + "reads; run python -m tokenlab why");
        }
        const read = {};
        for (const file of files) read[file.name] = await bytesOf(file.stream(), file.size, file.name);
        const isOne = files.length === 1;
        slot.set(isOne ? files[0].name : `${files.length} files`, read, isOne ? null : "files");
      } catch (error) {
        status.hide();
        fail(error instanceof DOMException ? `The file cannot be read (${error.message}).` : error.message);
      }
    }

    async function fetchRepository() {
      const name = hub.value.trim().replace(`${HUB}/`, "");
      try {
        if (!/^[\w.-]+(\/[\w.-]+)?$/.test(name)) {
          throw new Error(`${name || "The name"} is not the name of a repository; an example is openai-community/gpt2.`);
        }
        const read = {};
        const get = async (file) => {
          const bytes = await fromHub(name, file);
          if (bytes) read[file] = bytes;
        };
        await get("tokenizer.json");
        for (const file of CONFIGURATIONS) await get(file);
        if (!read["tokenizer.json"]) for (const file of OTHERS) await get(file);
        if (!Object.keys(read).length) {
          throw new Error(`The hub has no tokenizer in ${name}, or no public repository of this name.`);
        }
        slot.set(name, read, name.split("/").at(-1));
      } catch (error) {
        status.hide();
        fail(error.message);
      }
    }

    chooser.onclick = () => { chooser.value = ""; }; // the same file can be chosen again
    chooser.onchange = () => take([...chooser.files]);
    fetcher.onclick = fetchRepository;
    hub.onkeydown = (event) => event.key === "Enter" && fetchRepository();
    extra.onclick = () => (key === "first" ? useSample() : slot.remove());
    for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
      fields.addEventListener(kind, (event) => {
        event.preventDefault();
        fields.classList.toggle("why-over", kind.startsWith("drage") || kind === "dragover");
      });
    }
    fields.addEventListener("drop", async ({ dataTransfer }) => {
      const entries = [...dataTransfer.items].map((item) => item.webkitGetAsEntry?.()), plain = [...dataTransfer.files];
      take(entries.length === 1 && entries[0]?.isDirectory ? await filesIn(entries[0]) : plain);
    });
    drop.append(chooser);
    hubLabel.append(hub);
    line.append(hubLabel, fetcher, extra);
    fields.append(make("legend", {}, title), drop, line, said, notes);
    return slot;
  }

  const bytesOf = (stream, size, name) => readAll(stream, size, (done) => {
    if (size > 2e6) status.tell(`Reading ${name}: ${megabytes(done)} of ${megabytes(size)} MB`, Math.min(1, done / size));
  });

  // The bytes of a file of a repository, or null if there is none.
  async function fromHub(name, file) {
    status.tell(`${HUB.slice(8)}: ${file} …`, 0);
    const wait = new AbortController(), timer = setTimeout(() => wait.abort(), PATIENT);
    let response;
    try {
      const options = { signal: wait.signal, credentials: "omit", referrerPolicy: "no-referrer" };
      response = await fetch(`${HUB}/${name}/resolve/main/${file}`, options);
    } catch {
      throw new Error(`${HUB} cannot be reached from this browser; get the files of ${name} elsewhere and drop them here.`);
    } finally {
      clearTimeout(timer);
    }
    if ([401, 403].includes(response.status)) {
      throw new Error(`The hub has no public repository ${name}, or asks for a login; download its files and drop them here.`);
    }
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`The hub answered ${response.status} for ${file} of ${name}; try again later.`);
    const size = Number(response.headers.get("Content-Length")) || 0;
    const bytes = await bytesOf(response.body, size, file);
    status.hide();
    return bytes;
  }

  function useSample() {
    if (!text.value) text.value = SAMPLE_TEXT;
    first.set(SAMPLE, null, null, true);
  }

  // --- the page ---------------------------------------------------------------------------------

  settings.onchange = () => {
    if (!first.files || first.sample) return;
    first.state = "new";
    begin();
  };
  let remembering = 0;
  const values = () => ({ text: text.value, ...(first.sample ? { sample: true } : {}) });
  const copy = copyButton(() => linkTo(1, values(), 0));
  text.addEventListener("input", () => {
    most = null;
    begin();
  });
  const label = make("label", { class: "why-text" }, "The text: ");
  label.append(text);
  const more = make("details"), line = make("div", { class: "why-line" });
  more.append(make("summary", {}, "Compare with a second tokenizer"), second.fields);
  line.append(copy);
  alert.hidden = true;
  place.replaceChildren(first.fields, label, settings.element, more, line, status.line, alert, results.element);
  clients.push(client);

  async function followLink() {
    if (!location.hash.startsWith("#try=")) return;
    const link = await readLink(location.hash);
    if (typeof link?.values.text !== "string") return fail(DAMAGED_LINK);
    text.value = link.values.text;
    if (link.values.sample === true && !first.files) first.set(SAMPLE, null, null, true);
    else begin();
  }
  addEventListener("hashchange", followLink);
  followLink();
}

function showNotes(list, notes) {
  list.replaceChildren(...notes.map((note) => make("li", {}, note)));
  list.hidden = !notes.length;
}

// The options of the command.
function makeSettings({ dataset }) {
  const element = make("details"), fields = make("div", { class: "why-line" });
  const settings = { element, onchange() {} };
  const choice = (options) => {
    const select = make("select");
    select.append(...options.map(([value, label]) => make("option", { value }, label)));
    return select;
  };
  const kind = choice([["", "by its content"], ...dataset.kinds.split(" ").map((name) => [name, name])]);
  const encoding = choice([["", "not named"], ...dataset.encodings.split(" ").map((name) => [name, name])]);
  const pattern = make("input", { type: "text", spellcheck: "false" });
  const cased = choice([["", "a guess"], ["cased", "is kept"], ["uncased", "is not kept"]]);
  const ordinary = make("input", { type: "checkbox" });
  const label = (said, input) => {
    const outer = make("label", {}, `${said}: `);
    outer.append(input);
    input.addEventListener("change", () => settings.onchange());
    fields.append(outer);
  };
  label("Kind of the file", kind);
  label("Encoding of tiktoken ranks", encoding);
  label("Pattern of tiktoken ranks", pattern);
  label("Case in vocab.txt", cased);
  label("Special tokens are ordinary text", ordinary);
  element.append(make("summary", {}, "Options of the command"), fields);
  settings.values = () => ({
    kind: kind.value || null, encoding: encoding.value || null, pattern: pattern.value || null,
    cased: { cased: true, uncased: false }[cased.value] ?? null, ordinary: ordinary.checked,
  });
  return settings;
}

// The bytes of a stream; `tell` hears how many have arrived.
async function readAll(stream, size, tell) {
  const parts = [], reader = stream.getReader();
  let done = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    done += part.value.length;
    if (done > LARGEST) {
      throw new Error(`This file has more than the ${LARGEST / 1e6} MB that a tab reads; run python -m tokenlab why`);
    }
    tell(done);
  }
  return new Blob(parts).arrayBuffer();
}

// The files of a folder that was dropped.
async function filesIn(folder) {
  const reader = folder.createReader(), entries = [];
  for (let some = [true]; some.length;) {
    some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    entries.push(...some);
  }
  const left = /^\.|\.(safetensors|bin|pt|h5|msgpack|onnx|gguf)$/; // hidden files, and weights of models
  const plain = entries.filter((entry) => entry.isFile && !left.test(entry.name));
  return Promise.all(plain.map((entry) => new Promise((resolve, reject) => { entry.file(resolve, reject); })));
}

addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("tokenlab-why");
  if (place) makeWhy(place);
});
