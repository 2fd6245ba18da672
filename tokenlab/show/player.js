// The player. One script for three surfaces: a notebook with a kernel, one without, and a page on its own.
// It shows frames made in Python one at a time, and asks their questions.

const ICONS = {
  first: "M3 3v10M13 3L6 8l7 5z", back: "M12 3L4 8l8 5z", play: "M4 3l9 5-9 5z", pause: "M5 3v10M11 3v10",
  forward: "M4 3l8 5-8 5z", last: "M13 3v10M3 3l7 5-7 5z",
};
const icon = (name) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
const make = (tag, attributes = {}, html = "") => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.innerHTML = html;
  return element;
};
const plain = (html) => make("div", {}, html).textContent;
const escaped = (text) => {
  const element = make("p");
  element.textContent = text;
  return element.innerHTML.replaceAll('"', "&quot;");
};

function playHere() {
  const place = document.currentScript.parentElement;
  mount(place.firstElementChild, read(place.querySelector("script[data-tokenlab=frames]").textContent));
}

// Repeated markup is encoded as one private-use character (frames.py, SHORT_FORMS).
function read(json) {
  const short = JSON.parse(json).short;
  return JSON.parse(json, (_, value) => typeof value === "string"
    ? value.replace(/[\ue000-\ue0ff]/g, (character) => short[character.charCodeAt() - 0xe000]) : value);
}

// Replace `place` by a player for `data`, opened at frame `at`, whose stage has at least `tall` pixels.
function mount(place, data, at = data.opened, tall = 0) {
  const { tracks } = data;
  const length = Math.max(...tracks.map((track) => track.frames.length));
  const last = length - 1;
  const answers = new Map();  // frame -> index of the option chosen, or -1 for "I do not know"
  const asked = new Set(), urged = new Set();
  let index = 0, timer = 0, announcing = 0, measuring = 0, width = 0, held = false, picked = null;

  // The element that contains the player, with an accessible name.
  const title = tracks.map((track) => track.title).join(" and ");
  const root = make("div", { class: "tl", role: "group", tabindex: "0", "aria-label": `${title}, step by step` });
  const bar = make("div", { class: "tl-bar" });
  const button = (name, label, act) => {
    const element = make("button", { type: "button", "aria-label": label, title: label }, icon(name));
    element.onclick = act;
    bar.append(element);
    return element;
  };
  const first = button("first", "First step", () => go(0));
  const back = button("back", "Step back", () => go(index - 1));
  const playing = button("play", "Play", () => (timer ? pause() : play()));
  const drawPlaying = () => {
    playing.innerHTML = timer ? `${icon("pause")} Pause` : `${icon("play")} Play`;
    playing.removeAttribute("aria-label");
  };
  playing.className = "tl-play";
  drawPlaying();
  const forward = button("forward", "Step forward", () => advance());
  const end = button("last", "Last step", () => go(last));
  const slider = make("input", { type: "range", min: 0, max: last, "aria-label": "Step" });
  slider.oninput = () => go(+slider.value);
  const count = make("output", { "aria-hidden": "true" });
  const speed = make("select", { "aria-label": "Speed", title: "Speed" },
    [0.5, 1, 2, 4].map((x) => `<option value=${x}${x === 1 ? " selected" : ""}>${x}×</option>`).join(""));
  const hasQuestions = tracks.length === 1 && tracks[0].frames.some((frame) => frame[4]);
  const predict = make("input", { type: "checkbox" });
  predict.checked = data.predict;
  predict.onchange = () => draw();
  const label = make("label");
  label.append(predict, " Predict");
  bar.append(slider, count, speed);
  if (hasQuestions) bar.append(label);

  const stage = make("div", { class: tracks.length > 1 ? "tl-tracks tl-two" : "tl-tracks" });
  const views = tracks.map((track) => new View(track, stage, tracks.length > 1));
  const ask = make("div", { class: "tl-ask", role: "group", "aria-label": "Predict" });
  const review = make("div", { class: "tl-ask tl-review" });
  const linked = make("div", { class: "tl-linked", role: "group", "aria-label": "Linked parts" });
  const live = make("div", { class: "tl-live", role: "status" });
  views[0].caption.after(ask, review);  // in view, above the panels that a question hides
  root.append(bar, stage, linked, live);
  place.replaceWith(root);

  const question = (at) => (hasQuestions && predict.checked && tracks[0].frames[at][4]) || null;
  const open = (at = index) => question(at) && !answers.has(at);

  function go(to) {
    const before = index;
    index = Math.max(0, Math.min(last, to));
    if (index === last || to < before) pause();
    draw();
    if (open()) show();
    announceSoon();
  }
  const show = () => ask.scrollIntoView({ block: "nearest" });

  // A step past an open question is made at the second try; a key that is held down does not make it.
  const advance = (repeated) => urge(repeated) || go(index + 1);
  function urge(repeated) {
    if (!open() || (urged.has(index) && !repeated)) return false;
    urged.add(index);
    ask.lastChild.textContent = "Answer first, or step again to skip this question.";
    show();
    say(ask.lastChild.textContent);
    return true;
  }

  function play() {
    if (urge()) return;
    if (index === last) index = 0;
    const tick = () => {
      timer = setTimeout(tick, 1400 / speed.value);
      if (open() && !urged.has(index)) pause();
      else go(index + 1);
    };
    timer = setTimeout(tick, 300);
    drawPlaying();
    draw();
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    drawPlaying();
    announceSoon();
  }

  // Announce the moment in one line, after the learner stops stepping.
  function announceSoon() {
    clearTimeout(announcing);
    announcing = setTimeout(() => timer || say(words()), 400);
  }
  const words = () => views.map((view) => view.words(index)).join(" | ") + (open() ? " " + plain(question(index)[0]) : "");
  const say = (line) => {
    clearTimeout(announcing);
    live.textContent = line;
  };

  // Draw what makes the stage tall.
  function paint(at) {
    const asking = Boolean(open(at));
    views.forEach((view) => view.draw(at, asking));
    drawQuestion(at, asking);
    drawReview(at, asking);
  }

  // Reserve the height of the tallest frames, so that no step moves what is below; the style limits it to the screen.
  function reserve() {
    const top = stage.scrollTop, seen = [...asked];
    tall = 0;
    stage.style.setProperty("--tall", 0);
    for (let at = 0; at <= last; at += 1) {
      if (question(at)) asked.add(at);
      else if (at % Math.ceil(length / 50) && at < last) continue;
      paint(at);
      grow();
      if (!open(at)) continue;
      const reasons = question(at)[1].map(([, why, right]) => right ? 0 : why.length);
      answers.set(at, reasons.indexOf(Math.max(...reasons)));  // the longest verdict
      paint(at);
      grow();
      answers.delete(at);
    }
    asked.clear();
    seen.forEach((at) => asked.add(at));
    draw();
    stage.scrollTop = top;
    stage.dataset.measured = tall;
  }
  function grow() {
    if (stage.scrollHeight <= tall || stage.querySelector("[open]")) return;
    tall = stage.scrollHeight;
    stage.style.setProperty("--tall", `${tall}px`);
  }
  let wait = tall && 500;
  // Sizes are read here, when they are known: reading them in `draw` would make the browser lay out the page at once.
  const sizes = new ResizeObserver(() => {
    grow();
    stage.tabIndex = stage.scrollHeight > stage.clientHeight ? 0 : -1;  // so that keys scroll it
    if (width === stage.clientWidth) return;
    width = stage.clientWidth;
    clearTimeout(measuring);
    if (width) measuring = setTimeout(reserve, wait);
    wait = 500;
  });
  stage.style.setProperty("--tall", `${tall}px`);
  for (const part of [stage, ...stage.children]) sizes.observe(part);

  function draw() {
    const hadFocus = root.contains(document.activeElement);
    if (question(index)) asked.add(index);
    paint(index);
    drawLinked();
    slider.value = index;
    slider.setAttribute("aria-valuetext", views[0].words(index));
    count.textContent = `${index} / ${last}`;
    first.disabled = back.disabled = index === 0;
    forward.disabled = end.disabled = index === last;
    // The focused element may be gone or disabled now; keep the focus in the player, so that its keys work.
    const focused = document.activeElement;
    if (hadFocus && (!root.contains(focused) || focused.disabled || focused.closest("[hidden]"))) takeFocus();
  }
  const takeFocus = () => root.focus({ preventScroll: true });

  function drawQuestion(frame, asking) {
    const now = question(frame);
    ask.hidden = !now;
    if (!now) return;
    const [prompt, options] = now;
    const chosen = answers.get(frame);
    ask.replaceChildren(make("strong", {}, prompt), make("div", { class: "tl-options" }), make("div", { class: "tl-verdict" }));
    [...options, ["I do not know"]].forEach(([text, , right], at) => {
      const number = at === options.length ? -1 : at;
      const mark = asking ? "" : right ? "right" : number === chosen && number >= 0 ? "wrong" : "";
      const choice = make("button", { type: "button", class: mark && `tl-${mark}` }, text);
      if (mark) choice.setAttribute("aria-label", `${choice.textContent}: ${mark}`);
      choice.disabled = !asking;
      choice.onclick = () => answer(number);
      ask.children[1].append(choice);
    });
    if (!asking) ask.children[2].innerHTML = verdict(options, chosen);
  }

  function verdict(options, chosen) {
    const right = options.find((option) => option[2]);
    if (chosen < 0) return `Here is the answer. ${right[1]}`;
    return options[chosen][2] ? `<b class=tl-yes>Right.</b> ${right[1]}` : `You chose ${options[chosen][0]}. ${options[chosen][1]}`;
  }

  function answer(number) {
    answers.set(index, number);
    draw();
    takeFocus();
    say(ask.children[2].textContent);
  }

  // At the end, list the missed questions. The score is not stored anywhere.
  function drawReview(frame, asking) {
    review.hidden = frame !== last || asking || !asked.size || !predict.checked;
    if (review.hidden) return;
    const isRight = (at) => answers.has(at) && question(at)[1][answers.get(at)]?.[2];
    const missed = [...asked].filter((at) => !isRight(at)).sort((a, b) => a - b);
    const answered = [...asked].filter((at) => answers.has(at)).length;
    const line = `You answered ${answered} of ${asked.size}, and ${asked.size - missed.length} right.`;
    review.replaceChildren(make("strong", {}, missed.length ? `${line} Try again:` : `${line} Well done.`), make("div", { class: "tl-options" }));
    missed.forEach((at) => {
      const again = make("button", { type: "button" }, escaped(tracks[0].frames[at][0]));
      again.onclick = () => { answers.delete(at); go(at); takeFocus(); };
      review.lastChild.append(again);
    });
  }

  const KEYS = {
    ArrowRight: advance, ArrowLeft: () => go(index - 1), Home: () => go(0), End: () => go(last),
    " ": () => (timer ? pause() : play()),
  };
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();  // or the notebook would handle the key as a command
    if (event.target.dataset.to !== undefined && pressedOn(event.target, event.key)) return event.preventDefault();
    if (event.key === "Escape" && picked) pick(null);
    const own = !event.target.closest("button,input,select,summary") || event.target === slider;
    const act = KEYS[event.key];
    if (!act) return;
    if (!own && (event.key === " " || event.target === speed)) return;
    event.preventDefault();
    act(event.repeat);
    held = event.repeat;
    if (held) clearTimeout(announcing);
  });
  root.addEventListener("keyup", () => {
    if (held) announceSoon();
    held = false;
  });
  // Highlight the parts with the same position on every level of a ruler, or those that a part with `data-to` names.
  const places = (names) => names?.split(" ").filter(Boolean) ?? [];
  const links = (part) => places(part?.dataset.to ?? part?.dataset.at);
  function light(wanted) {
    for (const part of root.querySelectorAll("[data-at]")) {
      part.classList.toggle("lit", places(part.dataset.at).some((place) => wanted.includes(place)));
    }
  }
  for (const kind of ["mouseover", "focusin"]) root.addEventListener(kind, (event) => {
    if (!picked) light(links(event.target.closest("[data-at]")));
  });

  // A part with `data-to` is picked by a click or the Enter key. It stays picked at the other steps, with its links.
  const parts = () => [...root.querySelectorAll("[data-to]")];
  const identity = (part) => [rowOf(part)?.firstElementChild.textContent, part.dataset.at, part.textContent].join();
  const rowOf = (part) => part.closest("li");
  const same = (part, other) => identity(part) === identity(other);
  function pick(part) {
    picked = part && !(picked && same(part, picked)) ? part : null;
    drawLinked();
    say(picked ? linked.textContent : "Nothing is picked.");
  }
  // Enter picks a part, and the arrow keys up and down move between parts.
  function pressedOn(part, key) {
    const move = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (move) parts()[parts().indexOf(part) + move]?.focus();
    else if (key === "Enter" || key === " ") pick(part);
    return move || key === "Enter" || key === " ";
  }
  function drawLinked() {
    light(links(picked));
    for (const part of parts()) {
      const pressed = Boolean(picked && same(part, picked));
      part.classList.toggle("picked", pressed);
      part.setAttribute("aria-pressed", pressed);
    }
    const rows = picked ? [...root.querySelectorAll("li:has([data-to].lit, [data-to].picked)")] : [];
    linked.hidden = !rows.length;
    if (rows.length) rows[0].closest(".tl-panel").append(linked);
    linked.replaceChildren(...rows.map((row) => {
      const named = [...row.querySelectorAll("[data-to].lit, [data-to].picked")].map((part) => `${escaped(part.textContent)} <small>${escaped(part.title)}</small>`);
      const more = named.length > 6 ? " …" : "";
      return make("p", {}, `<span>${escaped(row.firstElementChild.textContent)}:</span> ${named.slice(0, 6).join(", ")}${more} `);
    }));
  }
  root.addEventListener("click", (event) => {
    const part = event.target.closest("[data-to]"), block = event.target.closest("[data-go]");
    if (part) pick(part);
    else if (block) { go(+block.dataset.go); takeFocus(); }  // a part with `data-go` shows that frame
    else if (!event.target.closest("button,input,select,label,summary,a,[tabindex='0']:not(.tl)")) takeFocus();
  });
  // On paper: the last frame, and below it each question with its answer and the reason.
  const sheet = make("div", { class: "tl-sheet" });
  root.append(sheet);
  const prints = ["beforeprint", "afterprint"];
  let shown;
  function paper({ type }) {
    const begins = type === prints[0];
    if (begins) shown = [index, predict.checked];
    const told = begins && hasQuestions ? tracks[0].frames.flatMap((frame) => frame[4] ? [frame[4]] : []) : [];
    sheet.innerHTML = told.map(([prompt, options]) => {
      const [label, why] = options.find((option) => option[2]);
      return `<p><strong>${prompt}</strong> ${label}. ${why}`;
    }).join("");
    predict.checked = !begins && shown[1];
    go(begins ? last : shown[0]);
  }
  prints.forEach((kind) => addEventListener(kind, paper));
  index = Math.max(0, Math.min(last, at));
  draw();
  const stop = () => {
    prints.forEach((kind) => removeEventListener(kind, paper));
    pause();
    sizes.disconnect();
    clearTimeout(measuring);
  };
  return { index: () => index, predicts: () => predict.checked, tall: () => tall, stop };
}

// One track: its caption and its panels; only panels that change are rendered again.
class View {
  constructor(track, stage, two) {
    this.track = track;
    this.panels = [];
    const section = make("section", { class: "tl-track" });
    if (two) section.append(make("p", { class: "tl-name tl-title" }, escaped(track.title)));
    this.caption = make("p", { class: "tl-caption" });
    this.grid = make("div", { class: "tl-panels" });
    this.more = make("details", { class: "tl-more" }, "<summary>More</summary><div class=tl-panels></div>");
    section.append(this.caption, this.grid, this.more);
    if (track.notice) {
      section.append(make("p", { class: "tl-notice" }));
      section.lastChild.textContent = track.notice;
    }
    stage.append(section);
  }

  frame(index) {
    return this.track.frames[Math.min(index, this.track.frames.length - 1)];
  }

  words(index) {
    const [moment, caption] = this.frame(index);
    return `${moment}. ${plain(caption)}`;
  }

  draw(index, asking) {
    const [moment, caption, remark, numbers] = this.frame(index);
    const ended = index >= this.track.frames.length ? " (it ended here)" : "";
    this.caption.innerHTML = `<strong>${escaped(moment)}${ended}.</strong> ${caption}<small>${remark || "&nbsp;"}</small>`;
    let folded = 0;
    numbers.forEach((number, place) => {
      const [title, kind, more, hides, wide] = this.track.panels[number];
      const hidden = asking && hides;
      folded += more && !hidden;
      const panel = (this.panels[place] ??= make("div"));
      panel.className = wide ? "tl-panel tl-wide" : "tl-panel";
      const state = `${number}${asking}`;
      if (panel.parentElement !== (more ? this.more.lastChild : this.grid)) (more ? this.more.lastChild : this.grid).append(panel);
      if (panel.dataset.state === state) return;
      panel.dataset.state = state;
      const body = hidden ? "<p class=tl-hidden>Hidden until you answer.</p>" : this.body(number, kind, escaped(title));
      panel.innerHTML = `<p class=tl-name>${escaped(title)}</p>${asking ? unmarked(body, caption) : body}`;
    });
    this.panels.splice(numbers.length).forEach((panel) => panel.remove());
    this.more.hidden = !folded;
  }

  body(number, kind, title) {
    const rows = this.track.panels[number][5].map((row) => this.track.rows[row]);
    if (!rows.length) return "<p class=tl-hidden>None.</p>";
    if (kind === "bars") return `<table class=tl-bars aria-label="${title}"><tbody>${rows.join("")}</tbody></table>`;
    if (kind === "chips") return `<p class=tl-chips>${rows.join(" ")}</p>`;
    return `<ul class=tl-${kind}>${rows.join("")}</ul>`;
  }
}

// The next pair is the answer, so remove its mark; a symbol of the pair that is new keeps its mark as new.
function unmarked(html, caption) {
  const made = caption.match(/<b class=new>(.*?)<\/b>/)?.[1];
  return html.replaceAll("</b><b", "</b> <b").replaceAll(" class=best", "")
    .replace(/<b class=(left|right)>(.*?)<\/b>/g, (_, side, symbol) => `<b${symbol === made ? " class=new" : ""}>${symbol}</b>`);
}

// The third surface: a widget whose data Python changes. It stays at its frame, or where its data say if nobody moved it.
function render({ model, el }) {
  let player, opened;
  const draw = () => {
    const place = make("div");
    el.replaceChildren(place);
    player?.stop();
    const data = read(model.get("data"));
    if (player) data.predict = player.predicts();
    player = mount(place, data, player?.index() === opened ? data.opened : player.index(), player?.tall());
    opened = data.opened;
  };
  model.on("change:data", draw);
  draw();
  return () => {
    model.off("change:data", draw);
    player.stop();
  };
}
