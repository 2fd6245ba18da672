// Links that carry a state: values and a step in the fragment of the address, compressed, which no server sees.
const LONGEST = 20000, MOST_VALUES = 30; // of a link: characters of a text, and values

const through = (bytes, transform) => new Blob([bytes]).stream().pipeThrough(transform);

// The address of this page with the values and the step of its part with this number.
async function linkTo(number, values, step) {
  const json = new TextEncoder().encode(JSON.stringify([values, step]));
  const packed = await new Response(through(json, new CompressionStream("deflate-raw"))).arrayBuffer();
  const signs = btoa(String.fromCharCode(...new Uint8Array(packed)));
  const safe = signs.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${location.href.split("#")[0]}#try=${number}.${safe}`;
}

// The number, values and step of a link, or null if it is damaged. A value is a text, a number, or true or false.
async function readLink(fragment) {
  try {
    const [, number, signs] = fragment.match(/^#try=(\d{1,3})\.([\w-]{1,60000})$/);
    const packed = Uint8Array.from(atob(signs.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt());
    const [values, step] = JSON.parse(await textOf(through(packed, new DecompressionStream("deflate-raw"))));
    const fits = (value) => typeof value === "boolean" || Number.isFinite(value)
      || (typeof value === "string" && value.length <= LONGEST);
    const right = Object.getPrototypeOf(values) === Object.prototype && Object.keys(values).length <= MOST_VALUES
      && Object.values(values).every(fits) && Number.isInteger(step) && step >= 0;
    return right ? { number: Number(number), values, step } : null;
  } catch {
    return null;
  }
}

// A text that would be too long is not unpacked to its end.
async function textOf(stream) {
  const decoder = new TextDecoder(), reader = stream.getReader();
  let text = "", size = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    size += value.length;
    if (size > 8 * LONGEST) throw new Error("too long");
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

// A button that copies the link that `address` returns, and puts it into the address bar.
const LINK = "M7 9a3 3 0 0 0 4 0l3-3a3 3 0 0 0-4-4L9 3M9 7a3 3 0 0 0-4 0l-3 3a3 3 0 0 0 4 4l1-1";
function copyButton(address) {
  const button = make("button", { type: "button", class: "tokenlab-copy", title: "Copy a link to this text and step" });
  const rest = () => {
    button.setAttribute("aria-label", "Copy link");
    button.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${LINK}"/></svg>`;
  };
  button.onclick = async () => {
    const link = await address();
    history.replaceState(null, "", link);
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    button.removeAttribute("aria-label");
    button.textContent = copied ? "Copied" : "It is in the address bar";
    setTimeout(rest, 2000);
  };
  rest();
  return button;
}
