// Beside player.js on the site: a stored player is mounted when it comes near the screen, or when something needs it.
// Until then, its static frame holds its place.
const waiting = new Set(), sizes = new WeakMap();
let below = false; // a place that is parsed after one below the first screen is below it, too

function playNear() {
  const place = document.currentScript.parentElement;
  below ||= place.getBoundingClientRect().top > innerHeight;
  waiting.add(place);
  if (!below) return playNow(place);
  place.tabIndex = 0; // the keyboard reaches it, and brings it near
  near.observe(place);
  if (!CSS.supports("overflow-anchor: auto")) heights.observe(place);
}

function playNow(place) {
  if (!waiting.delete(place)) return;
  const hadFocus = document.activeElement === place;
  near.unobserve(place);
  place.removeAttribute("tabindex");
  const { root } = mount(place.firstElementChild, read(place.querySelector("script[data-tokenlab=frames]").textContent));
  if (hadFocus) root.focus();
  place.dispatchEvent(new Event("tokenlab-play"));
}

// A screen above and below the one that is seen.
const near = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => playNow(target)),
  { rootMargin: "100% 0px" },
);

// Where a browser does not keep what is seen in its place when a player above it changes its height.
const heights = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const { height, bottom } = target.getBoundingClientRect(), grown = height - (sizes.get(target) ?? height);
    sizes.set(target, height);
    if (grown && bottom - grown <= 0) scrollBy({ top: grown, behavior: "instant" });
  }
});

// This listener is the first; the others, among them those of the players mounted now, are told by a new event.
addEventListener("beforeprint", (event) => {
  if (!waiting.size) return;
  [...waiting].forEach(playNow);
  event.stopImmediatePropagation();
  dispatchEvent(new Event("beforeprint"));
});
