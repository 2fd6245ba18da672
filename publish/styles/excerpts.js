// An excerpt below each page that a search finds, from `pageTexts`: page -> [[anchors, text] of each section]. Sphinx's own
// excerpts need a web server, and load every page that is found.
(() => {
  const words = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  // The search also finds other forms of a word, so a part of it may be all that a text has.
  const place = (text) => {
    for (const word of words)
      for (let end = word.length; end >= Math.min(4, word.length); end -= 1) {
        const found = text.toLowerCase().indexOf(word.slice(0, end));
        if (found >= 0) return found;
      }
    return -1;
  };
  const excerpt = (link) => {
    const [page, anchor] = link.getAttribute("href").split("#");
    const all = pageTexts[page.replace(/\.html.*/, "")] ?? [];
    const named = all.filter(([anchors]) => anchors.includes(anchor)), parts = named.length ? named : all;
    const text = parts.map((part) => part[1]).find((part) => place(part) >= 0) ?? parts[0]?.[1] ?? "";
    const from = text.lastIndexOf(" ", Math.max(0, place(text) - 90)) + 1, to = text.indexOf(" ", from + 220);
    return `${from ? "… " : ""}${to < 0 ? text.slice(from) : `${text.slice(from, to)} …`}`;
  };
  const add = (item) => {
    const text = item.localName === "li" && excerpt(item.querySelector("a"));
    if (text) item.append(Object.assign(document.createElement("p"), { className: "context", textContent: text }));
  };
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(add)))
    .observe(document.getElementById("search-results"), { childList: true, subtree: true });
})();
