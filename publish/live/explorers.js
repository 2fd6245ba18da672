// Live explorers: the functions of the kit answer what a reader types on a page.
// Beside each stored explorer lies the program that makes it (`publish/live/cells.py`). The stored player is shown until
// Python has answered.
const DAMAGED = "This link is damaged, so the player shows the stored text.";

function makeLive(script, number) {
  const frame = script.parentElement, fields = frame.querySelector("fieldset");
  const place = frame.querySelector(".tokenlab"), legend = fields.querySelector("legend");
  const elements = [...fields.querySelectorAll("textarea, input, select")];
  const message = make("p", { role: "alert" }), said = make("div", { class: "tokenlab-message" });
  const status = workStatus(), live = make("button", { type: "button" }, "Make it live");
  const program = JSON.parse(script.textContent), name = String(number);
  // Values: typed and not sent yet; sent and not answered yet; those that a new worker does not know.
  let changed = {}, sent = {}, lost = {};
  let state = null, redraw = null, began = false, step = null, remembering = 0;

  const client = {
    waits: () => began && (!state || Object.keys(changed).length > 0),
    take() {
      sent = { ...lost, ...changed };
      [lost, changed] = [{}, {}];
      return { call: "tokenlab.show.explorers.in_tab.answer", args: [name, program, JSON.stringify(sent)] };
    },
    forget() {
      lost = { ...valuesOf(state), ...lost, ...sent };
      sent = {};
    },
    accept(answer) {
      const first = !state;
      state = answer;
      sent = {};
      status.hide();
      if (first) adopt();
      update();
      if (first && client.waits()) return; // for what was typed while Python was loading
      frame.classList.add("tokenlab-is-live");
      frame.classList.toggle("tokenlab-stale", Boolean(state.message));
      say(state.message);
      if (state.data) draw();
      remember();
    },
    fail(why) {
      status.hide();
      if (!began) return;
      began = Boolean(state);
      live.hidden = began;
      say(state ? why : `${why} The stored player stays.`);
    },
    showLoading(loaded, total) {
      if (began && !state) status.loading(loaded, total);
    },
    showComputing() {
      if (state) status.computing();
    },
  };

  function say(text) {
    write(message, text);
    said.hidden = !text;
  }

  function begin() {
    if (began) return;
    began = live.hidden = true;
    say("");
    status.loading(0, 1);
    next();
    tokenlabPlayer.playNow(place);
  }

  // The stored controls become those of the explorer; what was typed meanwhile is kept.
  function adopt() {
    state.controls.filter((control) => control.shown).forEach((control, at) => {
      const element = elements[at];
      element.name = control.name;
      if (element.dataset.typed) changed[control.name] = valueOf(element);
      if (element.type !== "range") return;
      element.nextSibling?.remove();
      element.after(make("output"));
    });
    legend.textContent = "Type your own text, or change the settings.";
  }

  function update() {
    for (const control of state.controls) {
      const element = elements.find((each) => each.name === control.name);
      if (element) show(element, control, control.name in changed);
    }
  }

  function draw() {
    if (redraw) redraw();
    else tokenlabPlayer.render({ model: { get: () => state.data, on: (_, drawn) => { redraw = drawn; } }, el: place });
    if (step !== null) goTo(step);
    step = null;
    addCopy();
  }

  // The step of the player is that of its slider.
  const slider = () => place.querySelector(".tl-bar input[type=range]");
  function goTo(at) {
    tokenlabPlayer.playNow(place);
    slider().value = at;
    slider().dispatchEvent(new Event("input"));
  }

  const address = () => linkTo(number, { ...valuesOf(state), ...changed }, Number(slider()?.value ?? 0));
  const copy = copyButton(address);
  function addCopy() {
    const focused = document.activeElement === copy;
    slider()?.before(copy);
    if (focused) copy.focus();
  }
  function remember() {
    clearTimeout(remembering);
    remembering = setTimeout(async () => history.replaceState(null, "", await address()), 300);
  }

  live.onclick = begin;
  fields.addEventListener("input", ({ target }) => {
    target.dataset.typed = "yes";
    if (state) changed = { ...changed, [target.name]: valueOf(target) };
    if (target.type === "range") target.nextElementSibling?.replaceChildren(target.value);
    begin();
    next();
  });
  fields.addEventListener("focusin", ({ target }) => target !== live && begin());
  for (const kind of ["click", "keyup", "change", "touchend"]) place.addEventListener(kind, remember);

  fields.disabled = false;
  for (const element of elements) element.disabled = false;
  legend.textContent = "Type your own text, or change the settings: ";
  legend.append(live);
  said.append(message);
  said.hidden = true;
  fields.append(said, status.line);
  addCopy();
  place.addEventListener("tokenlab-play", addCopy);
  clients.push(client);
  return {
    refuse() {
      tokenlabPlayer.playNow(place);
      say(DAMAGED);
    },
    // Show what a link carries; only values need Python.
    open(values, at) {
      frame.scrollIntoView({ block: "start" });
      if (!Object.keys(values).length) return goTo(at);
      changed = values;
      step = at;
      begin();
      next();
    },
  };
}

// Let an element of a page show a control, but keep what a reader has typed meanwhile. What is the same is not drawn.
function show(element, control, typed) {
  const isList = element.localName === "select";
  if (element.type === "range") Object.assign(element, { min: control.min, max: control.max, step: control.step });
  const listed = JSON.stringify(isList && [...element.options].map((each) => each.textContent));
  if (isList && listed !== JSON.stringify(control.options)) {
    element.replaceChildren(...control.options.map((label) => make("option", {}, label)));
  }
  if (isList) element.selectedIndex = control.value;
  else if (element.type === "checkbox") element.checked = control.value;
  else if (!typed && element.value !== String(control.value)) element.value = control.value;
  if (element.type === "range") write(element.nextElementSibling, element.value);
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function valueOf(element) {
  if (element.type === "checkbox") return element.checked;
  if (element.type === "range") return Number(element.value);
  return element.localName === "select" ? element.selectedIndex : element.value;
}

const valuesOf = (state) => Object.fromEntries((state?.controls ?? []).map(({ name, value }) => [name, value]));

async function followLink(explorers) {
  if (!location.hash.startsWith("#try=")) return;
  const link = await readLink(location.hash), explorer = explorers[link?.number - 1];
  if (explorer) explorer.open(link.values, link.step);
  else explorers[0].refuse();
}

addEventListener("DOMContentLoaded", () => {
  const scripts = [...document.querySelectorAll("script[data-tokenlab=program]")];
  const explorers = scripts.map((script, at) => makeLive(script, at + 1));
  if (!explorers.length) return;
  followLink(explorers);
  addEventListener("hashchange", () => followLink(explorers));
});
