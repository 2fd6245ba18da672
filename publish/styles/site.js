// The theme of a page: what its address asks for (?theme=dark), else that of the page around it, else the reader's
// last choice. A page from another origin cannot be looked at; it has to name the theme in the address.
(() => {
  const asked = new URLSearchParams(location.search).get("theme");
  const decide = () => {
    if (["light", "dark"].includes(asked)) return asked;
    try {
      return window === top ? localStorage.getItem("theme") || "auto" : ofHost(window.frameElement);
    } catch {
      return "auto";
    }
  };
  const follow = () => { document.body.dataset.theme = decide(); };

  // The host is dark if the first colour behind the frame is.
  function ofHost(frame) {
    for (let behind = frame; behind; behind = behind.parentElement) {
      const [red, green, blue, alpha = 1] = parent.getComputedStyle(behind).backgroundColor.match(/[\d.]+/g).map(Number);
      if (alpha) return 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? "dark" : "light";
    }
    const scheme = frame && parent.getComputedStyle(frame).colorScheme;
    return { dark: "dark", light: "light", normal: "light" }[scheme] || "auto";
  }

  follow();
  if (window === top) return;
  try {
    for (const part of [parent.document.documentElement, parent.document.body])
      new MutationObserver(follow).observe(part, { attributes: true });
  } catch { /* another origin */ }
})();

// Keys scroll what has the focus, so what is wider than its place can have it; players do the same for their own parts.
(() => {
  const WIDE = "article :is(p:has(math), math[display=block], .tlm, .tokenlab > div, [style*=overflow-x]):not(.tl, .tl *)";
  function reach() {
    for (const part of document.querySelectorAll(WIDE)) {
      if (part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== "visible") part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    }
  }
  addEventListener("load", reach);
  addEventListener("resize", reach);
})();
