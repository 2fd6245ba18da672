// The player. One script for three surfaces: a notebook with a kernel, one without, and a page on its own.
// It shows frames made in Python one at a time, and asks their questions.

// Without a kernel: a player in place of the static frame, beside this script.
function playHere() {
  const place = document.currentScript.parentElement;
  mount(place.firstElementChild, read(place.querySelector("script[data-tokenlab=frames]").textContent));
}

// With a kernel: a widget whose data Python changes. It stays at its frame, or where its data say if nobody moved it.
function render({ model, el }) {
  let player, opened;
  const draw = () => {
    const place = make("div");
    el.replaceChildren(place);
    player?.stop();
    const data = read(model.get("data"));
    if (player) data.predict = player.predict.checked;
    player = mount(place, data, player?.index === opened ? data.opened : player.index, player);
    opened = data.opened;
  };
  model.on("change:data", draw);
  draw();
  return () => {
    model.off("change:data", draw);
    player.stop();
  };
}

// The data (player.py, _deduplicate_panels). A frame is [moment, caption, remark, the numbers of its panels, question],
// a question [prompt, options], an option [label, why, right, misconception], and a panel
// [title, kind, more, hides, wide, the numbers of its rows].
// Repeated markup is encoded as one private-use character (player.py, SHORT_FORMS).
function read(json) {
  const short = JSON.parse(json).short;
  return JSON.parse(json, (_, value) => typeof value === "string"
    ? value.replace(/[\ue000-\ue0ff]/g, (character) => short[character.charCodeAt() - 0xe000]) : value);
}

// Replace `place` by a player for `data`, opened at frame `at`, as tall as the one `before` it.
// The parts of a player share `p`: the frame that is shown, the elements, and what a part does for the others.
function mount(place, data, at = data.opened, before = null) {
  const { tracks } = data;
  const last = Math.max(...tracks.map((track) => track.frames.length)) - 1;
  const title = tracks.map((track) => track.title).join(" and ");
  // Or JupyterLab would take the keys as commands for the cell.
  const own = { "data-lm-suppress-shortcuts": "true" };
  const root = box("tl", { role: "group", tabindex: "0", "aria-label": `${title}, step by step`, ...own });
  const index = Math.max(0, Math.min(last, at));
  const p = { tracks, frames: tracks[0].frames, two: tracks.length > 1, last, root, index, timer: 0 };
  p.tall = before?.tall ?? 0;
  root.classList.toggle("tl-side", Boolean(before?.root.matches(".tl-side")));
  addSteps(p);
  addBar(p);
  addPredict(p, data.predict);
  addStage(p);
  addQuestions(p);
  addLinks(p);
  addVoice(p);
  addKeys(p);
  addClicks(p);
  addSwipes(p);
  addMotion(p);
  place.replaceWith(root);
  const ends = [addHeights(p), addPaper(p), p.pause];
  p.stop = () => ends.forEach((end) => end());
  p.draw();
  return p;
}

// Steps: to any frame, to the next one, and one after the other until a pause.
function addSteps(p) {
  p.go = (to) => {
    const before = p.index, seen = to === before + 1 && to <= p.last && p.look();
    p.index = Math.max(0, Math.min(p.last, to));
    if (p.index === p.last || to < before) p.pause();
    p.draw();
    if (p.open()) p.show();
    if (seen) requestAnimationFrame(() => p.move(seen));
    p.tellSoon();
  };
  // A step past an open question is made at the second try; a key that is held down does not make it.
  p.advance = (repeated) => p.urge(repeated) || p.go(p.index + 1);
  const tick = () => {
    p.timer = setTimeout(tick, 1400 / p.speed.value);
    if (p.open() && !p.urged.has(p.index)) p.pause();
    else p.go(p.index + 1);
  };
  const play = () => {
    if (p.urge()) return;
    if (p.index === p.last) p.index = 0;
    p.timer = setTimeout(tick, 300);
    p.drawPlaying();
    p.draw();
  };
  p.pause = () => {
    clearTimeout(p.timer);
    p.timer = 0;
    p.drawPlaying();
    p.tellSoon();
  };
  p.toggle = () => (p.timer ? p.pause() : play());
}

// The bar: buttons for the steps, a slider, and the speed.
function addBar(p) {
  const bar = box("tl-bar");
  const button = (name, label, act) => {
    const element = make("button", { type: "button", "aria-label": label, title: label }, icon(name));
    element.onclick = act;
    bar.append(element);
    return element;
  };
  const first = button("first", "First step", () => p.go(0));
  const back = button("back", "Step back", () => p.go(p.index - 1));
  const playing = button("play", "Play", p.toggle);
  const forward = button("forward", "Step forward", () => p.advance());
  const end = button("last", "Last step", () => p.go(p.last));
  const slider = p.slider = make("input", { type: "range", min: 0, max: p.last, "aria-label": "Step" });
  slider.oninput = () => p.go(+slider.value);
  const count = make("output", { "aria-hidden": "true" });
  p.speed = make("select", { "aria-label": "Speed", title: "Speed" },
    [0.5, 1, 2, 4].map((x) => `<option value=${x}${x === 1 ? " selected" : ""}>${x}×</option>`).join(""));
  bar.append(slider, count, p.speed);
  p.root.append(bar);

  p.drawPlaying = () => {
    playing.innerHTML = p.timer ? `${icon("pause")} Pause` : `${icon("play")} Play`;
    playing.removeAttribute("aria-label");
  };
  playing.className = "tl-play";
  p.drawPlaying();
  p.drawBar = () => {
    slider.value = p.index;
    slider.setAttribute("aria-valuetext", p.views[0].words(p.index));
    count.textContent = `${p.index} / ${p.last}`;
    first.disabled = back.disabled = p.index === 0;
    forward.disabled = end.disabled = p.index === p.last;
  };
}

// Whether questions are asked, which the learner decides, in the bar; two tracks side by side ask none.
function addPredict(p, predict) {
  p.predict = make("input", { type: "checkbox" });
  p.predict.checked = predict;
  p.predict.onchange = () => p.draw();
  const label = make("label");
  label.append(p.predict, " Predict");
  p.asks = !p.two && p.frames.some((frame) => frame[4]);
  const bar = p.root.lastChild, keys = `← → step · Space plays${p.asks ? " · 1 2 3 answer" : ""}`;
  bar.append(...p.asks ? [label] : [], make("small", { class: "tl-keys", "aria-hidden": "true" }, keys));
}

// The stage: the panels of each track, and how a frame is drawn.
function addStage(p) {
  p.stage = box(p.two ? "tl-tracks tl-two" : "tl-tracks");
  p.views = p.tracks.map((track) => addTrack(track, p));
  p.root.append(p.stage);

  // Draw what makes the stage tall.
  p.paint = (at) => {
    const asking = Boolean(p.open(at));
    p.views.forEach((view) => view.draw(at, asking));
    p.drawQuestion(at, asking);
  };
  p.focus = () => p.root.focus({ preventScroll: true });
  p.draw = () => {
    const hadFocus = p.root.contains(document.activeElement);
    if (p.question(p.index)) p.asked.add(p.index);
    p.paint(p.index);
    p.drawLinked();
    p.drawBar();
    requestAnimationFrame(() => follow(p.stage));
    // The focused element may be gone or disabled now; keep the focus in the player, so that its keys work.
    const focused = document.activeElement;
    if (hadFocus && (!p.root.contains(focused) || focused.disabled || focused.closest("[hidden]"))) p.focus();
  };
}

// The questions: which are asked, what was answered, and a second try for a step past an open one.
function addQuestions(p) {
  const ask = box("tl-ask", { role: "group", "aria-label": "Predict" });
  const review = box("tl-ask tl-review");
  // In view, above or beside the panels that a question hides.
  p.views[0].said.append(ask, review);
  // The answers: frame -> index of the option chosen, or -1 for "I do not know".
  p.answers = new Map();
  p.asked = new Set();
  p.urged = new Set();
  p.question = (at) => (p.asks && p.predict.checked && p.frames[at][4]) || null;
  p.open = (at = p.index) => p.question(at) && !p.answers.has(at);
  p.options = () => ask.querySelectorAll("button");
  p.show = () => ask.scrollIntoView({ block: "nearest" });
  p.urge = (repeated) => {
    if (!p.open() || (p.urged.has(p.index) && !repeated)) return false;
    p.urged.add(p.index);
    ask.lastChild.textContent = "Answer first, or step again to skip this question.";
    p.show();
    p.say(ask.lastChild.textContent);
    return true;
  };
  const answer = (number) => {
    p.answers.set(p.index, number);
    p.draw();
    p.focus();
    p.say(ask.lastChild.textContent);
  };
  p.drawQuestion = (at, asking) => {
    const now = p.question(at);
    ask.hidden = !now;
    if (now) drawOptions(ask, now, asking, p.answers.get(at), answer);
    drawReview(p, review, at, asking);
  };
}

// A question with a button for each option, or with the marks and the verdict after the answer.
function drawOptions(ask, [prompt, options], asking, chosen, answer) {
  const buttons = box("tl-options"), verdict = box("tl-verdict");
  ask.replaceChildren(make("strong", {}, prompt), buttons, verdict);
  [...options, ["I do not know"]].forEach(([text, , right], at) => {
    const number = options[at] ? at : -1;
    const mark = asking ? "" : right ? "right" : number === chosen && number >= 0 ? "wrong" : "";
    const choice = make("button", { type: "button", class: mark && `tl-${mark}`, "aria-keyshortcuts": at + 1 }, text);
    if (mark) choice.setAttribute("aria-label", `${choice.textContent}: ${mark}`);
    choice.disabled = !asking;
    choice.onclick = () => answer(number);
    buttons.append(choice);
  });
  if (asking) return;
  const [, why] = options.find((option) => option[2]);
  verdict.innerHTML = chosen < 0 ? `Here is the answer. ${why}`
    : options[chosen][2] ? `<b class=tl-yes>Right.</b> ${why}`
    : `You chose ${options[chosen][0]}. ${options[chosen][1]}`;
}

// At the end, list the missed questions. The score is not stored anywhere.
function drawReview(p, review, frame, asking) {
  const asked = [...p.asked];
  review.hidden = frame !== p.last || asking || !asked.length || !p.predict.checked;
  if (review.hidden) return;
  const isRight = (at) => p.question(at)[1][p.answers.get(at)]?.[2];
  const missed = asked.filter((at) => !isRight(at)).sort((a, b) => a - b);
  const answered = asked.filter((at) => p.answers.has(at)).length;
  const line = `You answered ${answered} of ${asked.length}, and ${asked.length - missed.length} right.`;
  const more = missed.length ? "Try again:" : "Well done.";
  review.replaceChildren(make("strong", {}, `${line} ${more}`), box("tl-options"));
  missed.forEach((at) => {
    const again = make("button", { type: "button" }, escaped(p.frames[at][0]));
    again.onclick = () => { p.answers.delete(at); p.go(at); p.focus(); };
    review.lastChild.append(again);
  });
}

// Linked parts: a part with `data-to` is picked by a click or the Enter key. It stays picked at the other steps.
function addLinks(p) {
  let picked = null;
  const linked = box("tl-linked", { role: "group", "aria-label": "Linked parts" });
  p.root.append(linked);
  for (const kind of ["mouseover", "focusin"]) p.root.addEventListener(kind, (event) => {
    if (!picked) lightParts(p.root, event.target.closest("[data-at]"));
  });
  const parts = () => [...p.root.querySelectorAll("[data-to]")];
  const isPicked = (part) => Boolean(picked) && identity(part) === identity(picked);
  p.pick = (part) => {
    picked = part && !isPicked(part) ? part : null;
    p.drawLinked();
    p.say(picked ? linked.textContent : "Nothing is picked.");
  };
  // Escape ends the pick; on a part, Enter picks it, and the arrow keys up and down move to its neighbours.
  p.pressed = (part, key) => {
    if (key === "Escape" && picked) p.pick(null);
    if (part.dataset.to === undefined) return;
    const move = { ArrowUp: -1, ArrowDown: 1 }[key], picks = key === "Enter" || key === " ";
    if (move) parts()[parts().indexOf(part) + move]?.focus();
    else if (picks) p.pick(part);
    return move || picks;
  };
  p.drawLinked = () => {
    lightParts(p.root, picked);
    for (const part of parts()) {
      const pressed = isPicked(part);
      part.classList.toggle("picked", pressed);
      part.setAttribute("aria-pressed", pressed);
    }
    const rows = picked ? [...p.root.querySelectorAll("li:has([data-to].lit, [data-to].picked)")] : [];
    linked.hidden = !rows.length;
    if (rows.length) rows[0].closest(".tl-panel").append(linked);
    linked.replaceChildren(...rows.map(linkedRow));
  };
}

// Highlight the parts with the same position on every level of a ruler, or those that a part with `data-to` names.
function lightParts(root, from) {
  const places = (names) => names?.split(" ").filter(Boolean) ?? [];
  const wanted = places(from?.dataset.to ?? from?.dataset.at);
  for (const part of root.querySelectorAll("[data-at]")) {
    part.classList.toggle("lit", places(part.dataset.at).some((place) => wanted.includes(place)));
  }
}

// What a part is at every step: the name of its row, its place, and its text.
const identity = (part) =>
  [part.closest("li")?.firstElementChild.textContent, part.dataset.at, part.textContent].join();

// A line with the name of a row, and its linked parts, of which six are named.
function linkedRow(row) {
  const named = [...row.querySelectorAll("[data-to].lit, [data-to].picked")]
    .map((part) => `${escaped(part.textContent)} <small>${escaped(part.title)}</small>`);
  const some = named.slice(0, 6).join(", ") + (named.length > 6 ? " …" : "");
  return make("p", {}, `<span>${escaped(row.firstElementChild.textContent)}:</span> ${some} `);
}

// The voice: announce the moment in one line, after the learner stops stepping.
function addVoice(p) {
  let announcing = 0;
  const live = box("tl-live", { role: "status" });
  p.root.append(live);
  const words = () => p.views.map((view) => view.words(p.index)).join(" | ")
    + (p.open() ? " " + plain(p.question(p.index)[0]) : "");
  p.hush = () => clearTimeout(announcing);
  p.say = (line) => {
    p.hush();
    live.textContent = line;
  };
  p.tellSoon = () => {
    p.hush();
    announcing = setTimeout(() => p.timer || p.say(words()), 400);
  };
}

// The keys: they step, unless a control or a linked part needs them.
function addKeys(p) {
  let held = false;
  p.root.onkeydown = (event) => {
    const { key, repeat, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Or the notebook would handle the key as a command.
    event.stopPropagation();
    if (p.pressed(target, key)) return event.preventDefault();
    const own = !target.closest("button,input,select,summary") || target === p.slider;
    const option = !target.closest("input,select") && p.open() && /^[1-9]$/.test(key) && p.options()[key - 1];
    const act = option ? () => option.click() : {
      ArrowRight: p.advance, ArrowLeft: () => p.go(p.index - 1), Home: () => p.go(0), End: () => p.go(p.last),
      " ": p.toggle,
    }[key];
    if (!act || (!own && !option && (key === " " || target === p.speed))) return;
    event.preventDefault();
    act(repeat);
    held = repeat;
    if (held) p.hush();
  };
  p.root.onkeyup = () => {
    if (held) p.tellSoon();
    held = false;
  };
}

// A click picks a part, or shows the frame that a part with `data-go` names; elsewhere it gives the player the keys.
function addClicks(p) {
  p.root.onclick = ({ target }) => {
    const part = target.closest("[data-to]"), block = target.closest("[data-go]");
    if (part) p.pick(part);
    else if (block) { p.go(+block.dataset.go); p.focus(); }
    else if (!target.closest("button,input,select,label,summary,a,[tabindex='0']:not(.tl)")) p.focus();
  };
}

// A swipe to the left steps on, and one to the right steps back, unless it scrolls a wide picture.
function addSwipes(p) {
  let from = null;
  const isWide = (part) => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== "visible";
  p.stage.addEventListener("touchstart", ({ touches, target }) => {
    let part = target;
    while (part !== p.stage && !isWide(part)) part = part.parentElement;
    from = touches.length === 1 && part === p.stage ? touches[0] : null;
  }, { passive: true });
  p.stage.addEventListener("touchend", ({ changedTouches: [to] }) => {
    const x = from ? to.clientX - from.clientX : 0, y = from ? to.clientY - from.clientY : 0;
    from = null;
    if (Math.abs(x) < 40 || Math.abs(x) < 2 * Math.abs(y)) return;
    if (x < 0) p.advance();
    else p.go(p.index - 1);
  });
}

// A change is seen moving for a moment: symbols that merge slide together, bars grow, a path is drawn, a beam dies.
function addMotion(p) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)"), ghosts = box("tl-ghosts", { "aria-hidden": "true" });
  let last = -1000;
  p.root.append(ghosts);
  const all = (selector) => [...p.stage.querySelectorAll(selector)];
  const bars = () => all("tr:has(> td > i)").map((row) =>
    [row.closest(".tl-panel").textContent.slice(0, 8) + row.firstElementChild.textContent, row.querySelector("i")]);
  const arcs = () => all("path[data-active], .beams :is(.best, .won) > path");
  const nameOf = (arc) => arc.getAttribute("d") + arc.dataset.active;
  const deaths = () => all(".beams [data-at]").map((node) => [node.dataset.at, node.querySelector("rect")]);
  // What is seen before a step; nothing for those who asked for less motion, or while steps follow fast.
  p.look = () => {
    const fast = performance.now() - last < 250;
    last = performance.now();
    return calm.matches || fast ? null : {
      symbols: symbolRows(p.stage),
      bars: new Map(bars().map(([name, bar]) => [name, bar.offsetWidth])),
      arcs: new Set(arcs().map(nameOf)),
      fills: new Map(deaths().map(([name, rect]) => [name, getComputedStyle(rect).fill])),
    };
  };
  p.move = (seen) => {
    for (const [name, row] of symbolRows(p.stage)) slide(ghosts, seen.symbols.get(name) ?? [], row);
    for (const [name, bar] of bars()) {
      const from = seen.bars.get(name);
      if (from && from !== bar.offsetWidth) bar.animate({ width: [`${from}px`, `${bar.offsetWidth}px`] }, 250);
    }
    for (const arc of arcs().filter((each) => !seen.arcs.has(nameOf(each)))) {
      const long = arc.getTotalLength(), back = arc.dataset.active === "path" ? -long : long;
      arc.animate({ strokeDasharray: [`${long} ${long}`, `${long} ${long}`], strokeDashoffset: [back, 0] }, 450);
    }
    for (const [name, rect] of deaths()) {
      const fill = seen.fills.get(name);
      const died = fill && fill !== "none" && getComputedStyle(rect).fill === "none";
      if (died) rect.animate({ fill: [fill, fill], fillOpacity: [1, 0] }, 600);
    }
  };
}

// The symbols of each row, by its text, with their places in it.
function symbolRows(stage) {
  return new Map([...stage.querySelectorAll(".tl-words li > div, .tl-ranks")].map((row) => {
    let end = 0;
    const symbols = [...row.querySelectorAll("b")].map((chip) => {
      const start = end;
      end += chip.textContent.length;
      return { chip, start, end, box: chip.getBoundingClientRect() };
    });
    return [symbols.map(({ chip }) => chip.textContent).join(""), symbols];
  }));
}

// Move the symbols of a row from where they were; those that became one symbol slide together, as ghosts above it.
function slide(ghosts, before, now) {
  const ground = ghosts.getBoundingClientRect(), time = { duration: 350, easing: "ease-in-out" };
  for (const { chip, start, end, box } of now) {
    const parts = before.filter((part) => part.start >= start && part.end <= end);
    if (parts.length === 1 && parts[0].box.left !== box.left && parts[0].box.top === box.top) {
      chip.animate({ transform: [`translateX(${parts[0].box.left - box.left}px)`, "none"] }, time);
    }
    if (parts.length < 2) continue;
    chip.animate({ opacity: [0, 0, 1] }, time);
    for (const part of parts) {
      const ghost = part.chip.cloneNode(true), to = box.left + box.width * (part.start - start) / (end - start);
      ghost.style.cssText = `left:${part.box.left - ground.left}px;top:${part.box.top - ground.top}px`;
      ghosts.append(ghost);
      const move = `translate(${to - part.box.left}px, ${box.top - part.box.top}px)`;
      ghost.animate({ transform: ["none", move] }, time).finished.finally(() => ghost.remove());
    }
  }
}

// Reserve the height of the tallest frames, so that no step moves what is below; the style limits it to the screen.
function addHeights(p) {
  const { stage } = p;
  let measuring = 0, width = 0, wait = p.tall && 500;
  const setTall = (tall) => {
    p.tall = tall;
    stage.style.setProperty("--tall", `${tall}px`);
  };
  const reserve = () => {
    const top = stage.scrollTop;
    setTall(chooseLayout(p));
    p.draw();
    stage.scrollTop = top;
    stage.dataset.measured = p.tall;
  };
  // Sizes are read here, when they are known: reading them in `draw` would make the browser lay out the page at once.
  const sizes = new ResizeObserver(() => {
    if (stage.scrollHeight > p.tall && !stage.querySelector("[open]")) setTall(stage.scrollHeight);
    canHaveFocus(stage, {});
    if (width === stage.clientWidth) return;
    width = stage.clientWidth;
    clearTimeout(measuring);
    if (width) measuring = setTimeout(reserve, wait);
    wait = 500;
  });
  setTall(p.tall);
  for (const part of [stage, ...stage.children]) sizes.observe(part);
  return () => {
    sizes.disconnect();
    clearTimeout(measuring);
  };
}

// Put the text beside the picture or above it, whichever hides less of the frames; return the tallest frame's height.
function chooseLayout(p) {
  const { stage, root } = p, seen = new Set(p.asked);
  const controls = root.closest(".tokenlab-explorer") ?? root.closest(".tokenlab")?.previousElementSibling;
  const above = controls?.matches("fieldset, .tokenlab-explorer")
    ? root.getBoundingClientRect().top - controls.getBoundingClientRect().top : 0;
  root.style.setProperty("--above", `${above}px`);
  const most = parseFloat(getComputedStyle(stage).maxHeight);
  const hides = (side) => {
    let tall = 0, hidden = 0;
    root.classList.toggle("tl-side", side);
    paintTallest(p, () => {
      tall = Math.max(tall, stage.scrollHeight);
      hidden += Math.max(0, stage.scrollHeight - most);
      for (const panel of stage.querySelectorAll(".tl-panel")) hidden += panel.scrollWidth - panel.clientWidth;
    });
    return { side, tall, hidden };
  };
  stage.classList.add("tl-measuring");
  const top = hides(false), beside = p.asks && stage.clientWidth >= BESIDE ? hides(true) : top;
  const best = beside.hidden > top.hidden ? top : beside;
  root.classList.toggle("tl-side", best.side);
  stage.classList.remove("tl-measuring");
  p.asked = seen;
  return best.tall;
}

// Paint the frames that may be the tallest, each question also with its longest verdict, as if it were answered.
function paintTallest(p, measure) {
  for (let at = 0; at <= p.last; at += 1) {
    if (p.question(at)) p.asked.add(at);
    else if (at % Math.ceil((p.last + 1) / 50) && at < p.last) continue;
    p.paint(at);
    measure();
    if (!p.open(at)) continue;
    const reasons = p.question(at)[1].map(([, why, right]) => right ? 0 : why.length);
    p.answers.set(at, reasons.indexOf(Math.max(...reasons)));
    p.paint(at);
    measure();
    p.answers.delete(at);
  }
}

// Scroll what holds an active part, so that the part is in view; never the page.
function follow(stage) {
  for (const panel of stage.querySelectorAll(".tl-panel")) {
    const part = panel.querySelector(ACTIVE);
    canHaveFocus(panel, { role: "group", "aria-label": panel.firstElementChild?.textContent });
    for (const wide of panel.querySelectorAll("[style*=overflow-x], .tlb")) canHaveFocus(wide, {});
    for (let around = part?.parentElement; around && stage.contains(around); around = around.parentElement) {
      reveal(around, part);
    }
  }
  for (const part of stage.querySelectorAll(".tl-ask, .tl-verdict")) {
    if (part.checkVisibility()) reveal(part.closest(".tl-said"), part);
  }
}

// Keys scroll what has the focus, so what is cut can have it.
function canHaveFocus(part, names) {
  const cut = part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1;
  for (const [name, value] of Object.entries({ tabindex: 0, ...names })) {
    if (cut) part.setAttribute(name, value);
    else part.removeAttribute(name);
  }
}

const ACTIVE = ":is([data-active], .tl-words:has(.tl-cells) li:last-child > div, .beams [tabindex], td.on, tr.best, .tl-words b.left, .tl-words b.new, .tl-chips b.new, .tl-lines b.new)";

function reveal(around, part) {
  if (around.scrollHeight <= around.clientHeight && around.scrollWidth <= around.clientWidth) return;
  const view = around.getBoundingClientRect(), box = part.getBoundingClientRect();
  const move = (from, to, start, end) => from - EDGE < start ? from - EDGE - start : to + EDGE > end ? to + EDGE - end : 0;
  // A part that is larger than the view is shown from its beginning.
  around.scrollTop += move(box.top, Math.min(box.bottom, box.top + view.height - 3 * EDGE), view.top, view.bottom);
  around.scrollLeft += move(box.left, Math.min(box.right, box.left + view.width - 3 * EDGE), view.left, view.right);
}
const EDGE = 24, BESIDE = 780;

// On paper: the last frame, and below it each question with its answer and the reason.
function addPaper(p) {
  const sheet = box("tl-sheet");
  p.root.append(sheet);
  const prints = ["beforeprint", "afterprint"];
  let shown;
  const paper = ({ type }) => {
    const begins = type === prints[0];
    if (begins) shown = [p.index, p.predict.checked];
    const told = begins && p.asks ? p.frames.filter((frame) => frame[4]) : [];
    sheet.innerHTML = told.map(([, , , , [prompt, options]]) => {
      const [label, why] = options.find((option) => option[2]);
      return `<p><strong>${prompt}</strong> ${label}. ${why}`;
    }).join("");
    p.predict.checked = !begins && shown[1];
    p.go(begins ? p.last : shown[0]);
  };
  prints.forEach((kind) => addEventListener(kind, paper));
  return () => prints.forEach((kind) => removeEventListener(kind, paper));
}

// One track: its caption and its panels; only panels that change are rendered again.
function addTrack(track, { stage, two }) {
  const panels = [], caption = make("p", { class: "tl-caption" }), grid = box("tl-panels");
  const folded = make("details", { class: "tl-more" }, "<summary>More</summary><div class=tl-panels></div>");
  const section = make("section", { class: "tl-track" });
  if (two) section.append(make("p", { class: "tl-name tl-title" }, escaped(track.title)));
  const said = box("tl-said"), shown = box("tl-shown");
  said.append(caption);
  shown.append(grid, folded);
  section.append(said, shown);
  if (track.notice) shown.append(make("p", { class: "tl-notice" }, escaped(track.notice)));
  stage.append(section);

  const frame = (index) => track.frames[index] ?? track.frames.at(-1);
  const words = (index) => `${frame(index)[0]}. ${plain(frame(index)[1])}`;
  const draw = (index, asking) => {
    const [moment, line, remark, numbers] = frame(index);
    const ended = track.frames[index] ? "" : " (it ended here)";
    caption.innerHTML = `<strong>${escaped(moment)}${ended}.</strong> ${line}<small>${remark || "&nbsp;"}</small>`;
    let isFolded = false;
    numbers.forEach((number, place) => {
      const [, , more, hides, wide] = track.panels[number];
      isFolded ||= more && !(asking && hides);
      const panel = (panels[place] ??= make("div"));
      panel.className = wide ? "tl-panel tl-wide" : "tl-panel";
      const home = more ? folded.lastChild : grid;
      if (panel.parentElement !== home) home.append(panel);
      const state = `${number}${asking}`;
      if (panel.dataset.state === state) return;
      panel.dataset.state = state;
      panel.innerHTML = panelHtml(track, number, asking, line);
    });
    panels.splice(numbers.length).forEach((panel) => panel.remove());
    folded.hidden = !isFolded;
  };
  return { said, words, draw };
}

// The content of a panel, without what answers an open question.
function panelHtml({ panels, rows }, number, asking, caption) {
  const [name, kind, , hides, , numbers] = panels[number];
  const title = escaped(name), shown = numbers.map((row) => rows[row]);
  const body = asking && hides ? "<p class=tl-hidden>Hidden until you answer."
    : !shown.length ? "<p class=tl-hidden>None."
    : kind === "bars" ? `<table class=tl-bars aria-label="${title}"><tbody>${shown.join("")}</tbody></table>`
    : kind === "chips" ? `<p class=tl-chips>${shown.join(" ")}</p>` : `<ul class=tl-${kind}>${shown.join("")}</ul>`;
  return `<p class=tl-name>${title}</p>${asking ? unmarked(body, caption) : body}`;
}

// The next pair is the answer, so remove its mark; a symbol of the pair that is new keeps its mark as new.
function unmarked(html, caption) {
  const made = caption.match(/<b class=new>(.*?)<\/b>/)?.[1];
  return html.replaceAll("</b><b", "</b> <b").replaceAll(" class=best", "")
    .replace(/<b class=(?:left|right)>(.*?)<\/b>/g,
      (_, symbol) => `<b${symbol === made ? " class=new" : ""}>${symbol}</b>`);
}

// Elements and text.
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
const box = (name, more) => make("div", { class: name, ...more });
const plain = (html) => make("div", {}, html).textContent;
const escaped = (text) => Object.assign(make("p"), { textContent: text }).innerHTML.replaceAll('"', "&quot;");
