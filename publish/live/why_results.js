// What the page why.html shows of the answers of Python (tokenlab/why/in_tab.py): tokens, how one of them came about,
// stages, pre-tokens, and a comparison. What comes from a file or a text is shown with textContent.
const ROWS = 500, PARTS = 200; // tokens that are listed, and parts of a stage

const written = (number) => number.toLocaleString("en");

// `onToken(index)` is told when a reader clicks on a token, and `onAll()` when all pre-tokens are to be explained.
function makeResults({ onToken, onAll }) {
  const element = make("div", { class: "why-results" });
  const part = (name, heading) => {
    const section = make("section", { class: `why-${name}` });
    section.append(make("h2", {}, heading), make("div"));
    section.hidden = true;
    element.append(section);
    return section;
  };
  const tokens = part("tokens", "Tokens"), found = part("origin", ""), comparison = part("comparison", "Comparison");
  const whole = part("player", "The whole text, step by step"), stages = part("stages", "Stages");
  const words = part("words", "Pre-tokens");
  let shown = null; // the last explanation
  let redraw = null, stopWhole = null, stop = null;

  function clear() {
    stop?.();
    stopWhole?.();
    shown = redraw = stop = stopWhole = null;
    for (const section of [tokens, found, comparison, whole, stages, words]) section.hidden = true;
  }

  function fill(section, ...elements) {
    section.lastChild.replaceChildren(...elements);
    section.hidden = false;
  }

  function showExplanation(answer) {
    shown = answer;
    found.hidden = true;
    const sizes = [answer.tokens.length, [...answer.text].length, new TextEncoder().encode(answer.text).length];
    const [tokenCount, characters, bytes] = sizes.map(written);
    const said = `Tokens: ${tokenCount}; ${characters} characters, ${bytes} bytes in UTF-8.`;
    const hint = make("p", {}, `${said} Click on a token to see how it came about.`);
    fill(tokens, hint, tableOf(answer), ...moreThan(answer.tokens.length, ROWS, "tokens"));
    if (answer.notes.length) tokens.lastChild.append(listOf(answer.notes, "why-notes"));
    fill(stages, listOfStages(answer.stages));
    fill(words, ...answer.words.flatMap(wordParts), ...allWords(answer));
    whole.hidden = !answer.player;
    if (!answer.player) return;
    if (redraw) return redraw();
    const into = make("div", { class: "tokenlab" });
    fill(whole, into);
    const model = { get: () => shown.player, on: (_, drawn) => { redraw = drawn; }, off() {} };
    stopWhole = tokenlabPlayer.render({ model, el: into });
  }

  function tableOf({ tokens: rows, text: typed }) {
    const table = make("table"), head = make("tr"), body = make("tbody"), frame = make("div", { class: "why-table" });
    const characters = [...typed];
    for (const name of ["Token", "Id", "Offsets", "Text", "Bytes", "Note"]) head.append(make("th", { scope: "col" }, name));
    rows.slice(0, ROWS).forEach(({ id, token, offsets, bytes, note }, index) => {
      const row = make("tr"), button = make("button", { type: "button", "aria-pressed": "false" }, token);
      button.onclick = () => {
        mark(index);
        onToken(index);
      };
      const cell = make("td");
      cell.append(button);
      const span = offsets ? `${offsets[0]}-${offsets[1]}` : "-";
      const covered = offsets ? visible(characters.slice(...offsets).join("")) : "";
      row.append(cell, ...[id, span, covered, bytes ?? "", note].map((value) => make("td", {}, value)));
      body.append(row);
    });
    table.append(make("thead"), body);
    table.tHead.append(head);
    frame.append(table);
    return frame;
  }

  const mark = (index) => [...tokens.querySelectorAll("tbody button")].forEach((button, at) => {
    button.setAttribute("aria-pressed", String(at === index));
  });

  // A newer explanation may be on its way; then the token belongs to a text that is gone.
  function showOrigin(answer, index) {
    mark(index);
    found.firstChild.textContent = `How ${answer.token} came about`;
    const player = make("div", { class: "tokenlab" }), why = make("details");
    why.append(make("summary", {}, "All steps of its pre-token, in sentences"), listOf(answer.why));
    fill(found, listOf(answer.lines, "", "ol"), ...(answer.player ? [player] : []), ...(answer.why.length ? [why] : []));
    stop?.();
    const model = { get: () => answer.player, on() {}, off() {} };
    stop = answer.player && tokenlabPlayer.render({ model, el: player });
    found.firstChild.setAttribute("tabindex", "-1");
    found.firstChild.focus({ preventScroll: true });
    found.scrollIntoView({ block: "nearest" });
  }

  function showComparison({ lines, tokens: both, tokenizers }, names) {
    const rows = names.flatMap((name, at) => {
      const chips = make("p", { class: "why-chips" });
      chips.append(...chipsOf(both[at]));
      return [make("h3", {}, `${name}: ${tokenizers[at]}`), chips];
    });
    fill(comparison, make("pre", {}, lines.join("\n")), ...rows);
  }

  const chipsOf = (parts) => [
    ...parts.slice(0, PARTS).flatMap((one) => [make("code", {}, one), " "]),
    ...(parts.length > PARTS ? [`… ${parts.length - PARTS} more`] : []),
  ];

  function listOf(lines, name = "", tag = "ul") {
    const list = make(tag, name ? { class: name } : {});
    list.append(...lines.map((line) => make("li", {}, line)));
    return list;
  }

  function listOfStages(all) {
    const list = make("ol");
    for (const { name, said, parts } of all) {
      const item = make("li"), chips = make("div", { class: "why-chips" });
      chips.append(...chipsOf(parts));
      item.append(make("strong", {}, name), `: ${said}`, chips);
      list.append(item);
    }
    return list;
  }

  function wordParts({ text: word, offsets, tokens: its, why }) {
    const chips = make("p", { class: "why-chips" });
    chips.append("= ", ...chipsOf(its));
    return [make("h3", {}, `${visible(word)}, offsets ${offsets.join("-")}`), listOf(why.slice(0, PARTS)), chips];
  }

  function allWords(answer) {
    const left = answer.different_words - answer.words.length;
    if (left <= 0) return [];
    const button = make("button", { type: "button" }, `Explain the other ${written(left)} pre-tokens`);
    button.onclick = onAll;
    return [button];
  }

  const moreThan = (number, limit, what) => (
    number > limit ? [make("p", {}, `… ${written(number - limit)} more ${what}`)] : []);

  const hideComparison = () => { comparison.hidden = true; };
  return { element, clear, showExplanation, showOrigin, showComparison, hideComparison };
}

// Spaces and control characters of a text in a cell.
const visible = (typed) => typed.replaceAll(" ", "␣").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => (
  { "\n": "⏎", "\t": "⇥" }[sign] ?? `\\u{${sign.codePointAt().toString(16)}}`));
