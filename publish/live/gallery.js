// The gallery of the first page: what a reader types is played by every picture, and travels with the links.
addEventListener("DOMContentLoaded", () => {
  const gallery = document.getElementById("tokenlab-gallery"), form = gallery.querySelector("form");
  const box = form.elements.text, said = make("p", { class: "tokenlab-message", role: "alert" }), status = workStatus();
  const copy = copyButton(() => linkTo(1, { text: box.value }, 0));
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let typing = 0;
  const pictures = [...gallery.querySelectorAll(".picture")].map(makePicture);
  said.hidden = true;
  form.firstElementChild.disabled = false;
  form.firstElementChild.append(copy, said, status.line);

  function say(text) {
    said.textContent = text;
    said.hidden = !text;
  }

  // Each picture asks on its own, so that the first one plays while the others are computed.
  function makePicture(frame) {
    const place = frame.querySelector(".tokenlab"), link = frame.querySelector("h2 a");
    let wanted = null, sent = null, data = null, redraw = null;
    const picture = {
      want(text) {
        wanted = text;
      },
      waits: () => wanted !== null,
      take() {
        [wanted, sent] = [null, wanted];
        return { call: "tokenlab.show.gallery.answer", args: [frame.dataset.name, sent] };
      },
      forget() {
        wanted ??= sent;
      },
      async accept(answer) {
        const text = sent;
        sent = null;
        status.hide();
        say(answer.message ?? "");
        if (answer.message) return;
        data = answer.data;
        inView.unobserve(place);
        tokenlabPlayer.playNow(place);
        if (redraw) redraw();
        else tokenlabPlayer.render({ model: { get: () => data, on: (_, drawn) => { redraw = drawn; }, off() {} }, el: place });
        play(place);
        frame.dataset.text = text;
        if (link?.dataset.explorer) {
          const address = await linkTo(link.dataset.explorer, { [link.dataset.value]: text }, 0);
          link.hash = new URL(address).hash;
        }
      },
      fail(why) {
        wanted = sent = null;
        status.hide();
        say(`${why} The pictures show another text.`);
      },
      showLoading(loaded, total) {
        if (wanted !== null || sent !== null) status.loading(loaded, total);
      },
      showComputing() {
        status.computing();
      },
    };
    clients.push(picture);
    return picture;
  }

  // From the first frame on; with less motion, the last frame is shown.
  function play(place) {
    const slider = place.querySelector(".tl-bar input[type=range]");
    slider.value = calm.matches ? slider.max : 0;
    slider.dispatchEvent(new Event("input"));
    if (!calm.matches) place.querySelector(".tl-play").click();
  }

  // A picture plays once when it comes into view.
  const inView = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      inView.unobserve(target);
      tokenlabPlayer.playNow(target);
      play(target);
    }
  }, { threshold: 0.6 });
  if (!calm.matches) gallery.querySelectorAll(".picture .tokenlab").forEach((place) => inView.observe(place));

  function playAll() {
    clearTimeout(typing);
    if (!box.value.trim()) return;
    for (const picture of pictures) picture.want(box.value);
    next();
  }

  box.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(playAll, 400);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    playAll();
  });

  async function follow() {
    if (!location.hash.startsWith("#try=")) return;
    const link = await readLink(location.hash), text = link?.values.text;
    if (typeof text !== "string") return say("This link is damaged, so the pictures show another text.");
    box.value = text.slice(0, box.maxLength);
    playAll();
  }
  addEventListener("hashchange", follow);
  follow();
});
